#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: expected two axes");
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index t = 0; t < scores.size(0); ++t) {
        const Tensor row = scores[t];
        const float highest = max(row, 0)();
        weights[t].copy_from(exp(row - highest));
    }
    return weights;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: expected two axes");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: expected the same last axis");
    Tensor scores = Tensor::zeros({q.size(0), k.size(0)});
    for (Index t = 0; t < q.size(0); ++t)
        for (Index s = 0; s < k.size(0); ++s) scores(t, s) = sum(q[t] * k[s], 0)();
    return softmax_rows(scores / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: expected two axes");
    if (x.size(1) != w_q.size(0) || x.size(1) != w_k.size(0) || x.size(1) != w_v.size(0))
        throw std::invalid_argument("single_head_attention: expected weights with D rows");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: expected the same shape");
    Tensor out = Tensor::zeros(x.shape());
    out += x;
    out += attended;
    return out;
}

}  // namespace headway::ex01
