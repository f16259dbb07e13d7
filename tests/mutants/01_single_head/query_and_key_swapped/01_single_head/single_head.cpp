#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: (T, S) please");
    Tensor top = max(scores, 1);
    Tensor weights = Tensor::empty(scores.shape());
    for (Index t = 0; t < scores.size(0); ++t) {
        Tensor e = exp(scores[t] - top(t));
        weights[t].copy_from(e / sum(e, 0));
    }
    return weights;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: (T, d) and (S, d) please");
    Tensor scores = matmul(q, k.transpose(0, 1));
    return softmax_rows(scores / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: matrices please");
    if (w_q.size(0) != x.size(1) || w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("single_head_attention: (D, n) weights please");
    Tensor k = matmul(x, w_k);
    Tensor q = matmul(x, w_q);
    Tensor v = matmul(x, w_v);
    Tensor weights = attention_weights(k, q);
    return matmul(weights, v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: equal shapes please");
    return x + attended;
}

}  // namespace headway::ex01
