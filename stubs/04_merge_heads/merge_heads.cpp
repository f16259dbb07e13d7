#include "merge_heads.hpp"

// What each function computes is in merge_heads.hpp. Put your code in place of each `throw`, in any order you like,
// and ask ./headway grade 04 after each.

#pragma GCC diagnostic ignored "-Wunused-parameter"  // for untouched stubs; delete it when all functions are written

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    // context (B, H, T, d) -> (B, T, H·d)
    throw NotImplemented{"merge_heads"};
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    // merged (B, T, E), w_o (E, D), b_o (D) or undefined -> (B, T, D)
    throw NotImplemented{"project_output"};
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    // x (B, T, D), weights (D, D) -> (B, T, D)
    throw NotImplemented{"multi_head_attention"};
}

}  // namespace headway::ex04
