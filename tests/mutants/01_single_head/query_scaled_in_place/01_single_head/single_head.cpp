#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: shape " + to_string(scores.shape()));
    Tensor e = exp(scores - max(scores, 1, KeepAxis::yes));
    e /= sum(e, 1, KeepAxis::yes);
    return e;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: shapes " + to_string(q.shape()) + to_string(k.shape()));
    Tensor scaled = q;
    scaled /= std::sqrt(static_cast<float>(q.size(1)));
    return softmax_rows(matmul(scaled, k.transpose(0, 1)));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("single_head_attention: shape " + to_string(x.shape()));
    for (const Tensor& w : {w_q, w_k, w_v})
        if (w.rank() != 2 || w.size(0) != x.size(1))
            throw std::invalid_argument("single_head_attention: shape " + to_string(w.shape()));
    Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return matmul(weights, matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes differ");
    return x + attended;
}

}  // namespace headway::ex01
