#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

namespace {
Tensor t(const Tensor& matrix) { return matrix.transpose(0, 1); }
}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: not 2D");
    const Tensor m = max(scores, 1, KeepAxis::yes);
    const Tensor p = exp(scores - m);
    return p / sum(p, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: not 2D");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: d differs");
    const Tensor scores = matmul(k, t(q)) / std::sqrt(static_cast<float>(q.size(1)));
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Index D = x.rank() == 2 ? x.size(1) : -1;
    if (w_q.rank() != 2 || w_q.size(0) != D || w_k.rank() != 2 || w_k.size(0) != D || w_v.rank() != 2 ||
        w_v.size(0) != D)
        throw std::invalid_argument("single_head_attention: x (T, D) and weights (D, n) expected");
    const Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return matmul(weights, matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes");
    return x + attended;
}

}  // namespace headway::ex01
