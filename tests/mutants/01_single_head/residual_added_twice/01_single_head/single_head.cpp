#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax: (T, S)");
    Tensor out = Tensor::zeros(scores.shape());
    for (Index t = 0; t < out.size(0); ++t) {
        const float m = max(scores[t], 0)();
        for (Index s = 0; s < out.size(1); ++s) out(t, s) = std::exp(scores(t, s) - m);
        out[t] /= sum(out[t], 0);
    }
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("weights: (T, d), (S, d)");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("head: (T, D)");
    const Tensor q = matmul(x, w_q), k = matmul(x, w_k), v = matmul(x, w_v);
    return matmul(attention_weights(q, k), v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("residual: equal shapes");
    Tensor shortcut = x.clone();
    Tensor edited = attended + shortcut;
    edited += shortcut;
    return edited;
}

}  // namespace headway::ex01
