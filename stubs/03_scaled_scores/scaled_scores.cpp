#include "scaled_scores.hpp"

// What each function computes is in scaled_scores.hpp. Put your code in place of each `throw`, in any order you
// like, and ask ./headway grade 03 after each.

#pragma GCC diagnostic ignored "-Wunused-parameter"  // for untouched stubs; delete it when all functions are written

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    // q (B, H, T, d), k (B, H, S, d) -> (B, H, T, S)
    throw NotImplemented{"attention_scores"};
}

Mask causal_mask(Index T, Index S) {
    // -> (T, S)
    throw NotImplemented{"causal_mask"};
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    // B lengths -> (B, 1, 1, S)
    throw NotImplemented{"padding_mask"};
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    // scores (B, H, T, S), mask broadcast to it -> (B, H, T, S)
    throw NotImplemented{"masked_softmax"};
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    // q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v) -> context (B, H, T, d_v), weights (B, H, T, S)
    throw NotImplemented{"scaled_dot_product_attention"};
}

}  // namespace headway::ex03
