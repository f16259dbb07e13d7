#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2)
        throw std::invalid_argument("softmax_rows: matrix needed, got " + to_string(scores.shape()));
    const Index axis = 0;
    const Tensor exps = exp(scores - max(scores, axis, KeepAxis::yes));
    return exps / sum(exps, axis, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: q " + to_string(q.shape()) + ", k " + to_string(k.shape()));
    const Tensor scores = matmul(q, k.transpose(0, 1));
    return softmax_rows(scores * (1 / std::sqrt(static_cast<float>(q.size(1)))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: matrices needed");
    if (w_q.size(0) != x.size(1) || w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("single_head_attention: weights need " + std::to_string(x.size(1)) + " rows");
    const Tensor q = matmul(x, w_q), k = matmul(x, w_k), v = matmul(x, w_v);
    return matmul(attention_weights(q, k), v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes are not the same");
    return x + attended;
}

}  // namespace headway::ex01
