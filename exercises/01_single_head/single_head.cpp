#include "single_head.hpp"

// What each function computes is in single_head.hpp. Put your code in place of each `throw`, in any order you like,
// and ask ./headway grade 01 after each.

#pragma GCC diagnostic ignored "-Wunused-parameter"  // for untouched stubs; delete it when all functions are written

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    // scores (T, S) -> (T, S)
    throw NotImplemented{"softmax_rows"};
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    // q (T, d), k (S, d) -> (T, S)
    throw NotImplemented{"attention_weights"};
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    // x (T, D), w_q and w_k (D, d), w_v (D, d_v) -> (T, d_v)
    throw NotImplemented{"single_head_attention"};
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    // x (T, D), attended (T, D) -> (T, D)
    throw NotImplemented{"with_residual"};
}

}  // namespace headway::ex01
