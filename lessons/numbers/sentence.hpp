#pragma once

#include "format.hpp"

// The running example: "The cat sat here". The numbers are made up, small and whole, to be followed with a pencil.
namespace headway::lessons {

extern const Labels tokens;  ///< The, cat, sat, here

/// One head, as in lesson 01: D = 3, d = 2, d_v = 3.
struct OneHead {
    Tensor x;    ///< (4, 3): thing, action, place
    Tensor w_q;  ///< (3, 2)
    Tensor w_k;  ///< (3, 2)
    Tensor w_v;  ///< (3, 3)
};
OneHead one_head();

/// Two heads, as in lesson 04: D = 6, H = 2, head_dim = 3. Head 0 looks for things, as the head of lesson 01 does;
/// head 1 looks one place to the left, on a circle of four places.
struct TwoHeads {
    Tensor x;    ///< (1, 4, 6): thing, action, place; position, twice; 1
    Tensor w_q;  ///< (6, 6), and so the others
    Tensor w_k;
    Tensor w_v;
    Tensor w_o;

    /// Before scaling. @return (1, 2, 4, 4)
    Tensor raw_scores() const;
    /// (1, 2, 4, 3)
    Tensor split(const Tensor& w) const;
};
TwoHeads two_heads();

}  // namespace headway::lessons
