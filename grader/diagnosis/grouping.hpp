#pragma once

#include "reference/array.hpp"

namespace headway::diagnosis {

using reference::Array;

/// What attention decides where H query heads share H_kv heads of keys and values.
struct Grouping {
    /// Which of the H_kv heads query head h uses.
    using HeadOf = Index (*)(Index h, Index H, Index H_kv);
    HeadOf key;
    HeadOf value;
    HeadOf mask;  ///< the query head whose mask is applied to query head h; -1: none is
    /// Which row of the mask of a group, head by head, is applied to query t of the head that stands there at `place`.
    using RowOf = Index (*)(Index place, Index t, Index group, Index T);
    RowOf mask_row;
    /// The column of x·[w_q w_k w_v], E + 2·E_kv wide, that becomes this column of one of the three, in heads of width
    /// d.
    using ColumnOf = Index (*)(Index column, Index E, Index E_kv, Index d);
    ColumnOf keys;
    ColumnOf values;
    ColumnOf queries = nullptr;  ///< of queries, if it is not the column itself
    HeadOf query = nullptr;      ///< the query head that stands where head h should, if it is not h itself
    bool operator==(const Grouping&) const = default;
};

/// @throws std::invalid_argument  for shapes that heads have after a wrong split
void require_even_groups(Index H, Index H_kv);

/// Query head h of (B, H, S, d) gets the head of kv, (B, H_kv, S, d), that `head_of` says.
/// @throws std::invalid_argument if the heads form no even groups
Array shared_heads(const Array& kv, Index H, Grouping::HeadOf head_of);

/// (B, H, T, d) where each query head is the one that `head_of` says.
/// @throws std::invalid_argument if the heads form no even groups
Array exchanged_heads(const Array& q, Index H_kv, Grouping::HeadOf head_of);

/// The group of query head h: neighbours share a head.
Index head_of_group(Index h, Index H, Index H_kv);

Grouping right_grouping();

}  // namespace headway::diagnosis
