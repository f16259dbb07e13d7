#pragma once

#include "reference/array.hpp"

#include <array>

/// Three projections in one matrix (exercise 13), as torch.nn.MultiheadAttention keeps them.
namespace headway::diagnosis {

using reference::Array;

/// What is decided where three projections become one, or one becomes three.
struct InProjection {
    /// A column of w_q, w_k or w_v (part 0, 1, 2).
    struct Place {
        int part;
        Index column;
    };
    using Order = Place (*)(Index row, Index E, Index E_kv);
    Order weight;
    Order bias;
    bool packs_columns = false;        ///< the weight is left (in, out)
    bool packs_viewed = false;         ///< (in, out) is only called (out, in), and keeps its order
    bool packs_joined_viewed = false;  ///< the same of the three side by side, (D, E + 2·E_kv)

    struct Layer {
        Index H, H_kv, d;
        Index E() const { return H * d; }
        Index E_kv() const { return H_kv * d; }
    };
    /// The row of the packed weight that is column c of a part.
    using Source = Index (*)(int part, Index c, const Layer&);
    Source source;
    Source bias_source;
    bool equal_thirds = false;  ///< cut into three parts of one size
    bool leaves_rows = false;   ///< the parts are left (out, in)
    /// What is only viewed as (in, out), its numbers in the order of (out, in): each part, or all before they are cut.
    enum class Viewed { nothing, each_part, all };
    Viewed unpacks_viewed = Viewed::nothing;
    static const InProjection& right();
};

struct PackedArrays {
    Array weight, bias;  ///< a bias of shape (0): none
};

/// @param w  (D, E), (D, E_kv), (D, E_kv)   @param b  of shape (0): none
PackedArrays packed(const InProjection& choices, const std::array<Array, 3>& w, const std::array<Array, 3>& b);

struct UnpackedArrays {
    std::array<Array, 3> w, b;
};

/// @throws Unpredictable  for parts that equal thirds cannot have
UnpackedArrays unpacked(const InProjection& choices, const PackedArrays& all, Index H, Index H_kv);

}  // namespace headway::diagnosis
