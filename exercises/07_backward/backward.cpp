#include "backward.hpp"

// What each function computes is in backward.hpp. Put your code in place of each `throw`, in any order you like,
// and ask ./headway grade 07 after each.

#pragma GCC diagnostic ignored "-Wunused-parameter"  // for untouched stubs; delete it when all functions are written

namespace headway::ex07 {

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    // (B, H, T, S), (B, H, T, S) -> (B, H, T, S)
    throw NotImplemented{"softmax_backward"};
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    // grad_context (B, H, T, d_v) -> gradients of q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v)
    throw NotImplemented{"attention_backward"};
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    // grad_y (B, T, out) -> grad_x (B, T, in); adds to grad_weight (out, in) and grad_bias (out)
    throw NotImplemented{"linear_backward"};
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    // grad_y (B, T, D) -> grad_x (B, T, D); adds to all of grads
    throw NotImplemented{"multi_head_attention_backward"};
}

}  // namespace headway::ex07
