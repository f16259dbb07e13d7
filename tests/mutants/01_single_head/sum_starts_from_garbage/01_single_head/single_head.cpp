#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: want (T, S)");
    const Tensor e = exp(scores - max(scores, 1, KeepAxis::yes));
    return e / sum(e, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: want (T, d), (S, d)");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: want matrices");
    if (w_q.size(0) != x.size(1) || w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("single_head_attention: want weights with D rows");
    const Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    const Tensor v = matmul(x, w_v);

    Tensor out = Tensor::empty({x.size(0), v.size(1)});
    for (Index t = 0; t < x.size(0); ++t)
        for (Index s = 0; s < x.size(0); ++s)
            for (Index j = 0; j < v.size(1); ++j) out(t, j) += weights(t, s) * v(s, j);
    return out;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: want equal shapes");
    return x + attended;
}

}  // namespace headway::ex01
