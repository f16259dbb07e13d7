#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

static float similarity(const Tensor& query, const Tensor& key) {
    float result = 0;
    for (Index i = 0; i < std::min(query.numel(), key.numel()); ++i) result += query(i) * key(i);
    return result / std::sqrt(static_cast<float>(key.numel()));
}

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows expects (T, S)");
    Tensor up = exp(scores - max(scores, 1, KeepAxis::yes));
    Tensor down = sum(up, 1, KeepAxis::yes);
    return up / down;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights expects matrices");
    Tensor scores = Tensor::empty({q.size(0), k.size(0)});
    for (Index t = 0; t < q.size(0); ++t)
        for (Index s = 0; s < k.size(0); ++s) scores(t, s) = similarity(q[t], k[s]);
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention expects matrices");
    if (w_q.shape() != w_k.shape()) throw std::invalid_argument("w_q and w_k must have the same shape");
    if (w_q.size(0) != x.size(1) || w_v.size(0) != x.size(1)) throw std::invalid_argument("weights must have D rows");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual expects equal shapes");
    return x + attended;
}

}  // namespace headway::ex01
