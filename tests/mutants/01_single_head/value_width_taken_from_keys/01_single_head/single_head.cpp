#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: 2 axes, not " + std::to_string(scores.rank()));
    Tensor e = exp(scores - max(scores, 1, KeepAxis::yes));
    e /= sum(e, 1, KeepAxis::yes);
    return e;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: q and k do not go together");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: only matrices");
    if (w_q.size(0) != x.size(1) || w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("single_head_attention: a weight has not D rows");

    const Tensor q = matmul(x, w_q), k = matmul(x, w_k), v = matmul(x, w_v);
    const Tensor weights = attention_weights(q, k);
    const Index T = x.size(0), d = k.size(1);

    Tensor out = Tensor::zeros({T, d});
    for (Index t = 0; t < T; ++t) {
        for (Index s = 0; s < T; ++s) {
            for (Index i = 0; i < d; ++i) {
                out(t, i) += weights(t, s) * v(s, i);
            }
        }
    }
    return out;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: x and attended do not go together");
    return x + attended;
}

}  // namespace headway::ex01
