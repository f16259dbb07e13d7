#pragma once

#include "reference/array.hpp"

namespace headway::diagnosis {

using reference::Array;

/// What is decided where H query heads share H_kv heads of keys and values (exercise 09).
struct Grouping {
    /// Which of the H_kv heads query head h uses.
    using HeadOf = Index (*)(Index h, Index H, Index H_kv);
    HeadOf copied;  ///< by repeat_heads
    HeadOf key;
    HeadOf value;
    HeadOf mask;  ///< whose mask, of the H query heads, is applied to query head h; -1: nobody's
    /// The column of x·[w_q w_k w_v], E + 2·E_kv wide, where keys or values begin.
    using Begin = Index (*)(Index E, Index E_kv);
    Begin keys_begin;
    Begin values_begin;
    double (*cached)(Index B, Index S, Index H, Index H_kv, Index d);
    /// (D, H·d) -> (D, H_kv·d)
    Array (*pool)(const Array& w, Index H, Index H_kv);
    bool default_head_dim = false;  ///< head_dim of the layer is D / H, not the columns of w_q / H
    bool operator==(const Grouping&) const = default;
};

/// @throws std::invalid_argument  as may happen where heads were split in a wrong way
void require_even_groups(Index H, Index H_kv);

/// Query head h of (B, H, S, d) gets the head of kv, (B, H_kv, S, d), that `head_of` says.
/// @throws std::invalid_argument if the heads form no even groups
Array shared_heads(const Array& kv, Index H, Grouping::HeadOf head_of);

/// Every query head is one of `group` neighbours.
Grouping right_grouping();

}  // namespace headway::diagnosis
