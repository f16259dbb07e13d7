#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: rank is not 2");
    Tensor p = Tensor::zeros(scores.shape());
    for (Index t = 0; t < p.size(0); ++t) {
        float top = -INFINITY, z = 0;
        for (Index s = 0; s < p.size(1); ++s) top = std::max(top, scores(t, s));
        for (Index s = 0; s < p.size(1); ++s) z += std::exp(scores(t, s) - top);
        for (Index s = 0; s < p.size(1); ++s) p(t, s) = std::exp(scores(t, s) - top) / z;
    }
    return p;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1)) throw std::invalid_argument("q and k do not fit");
    const float root = std::sqrt(static_cast<float>(q.size(1)));
    return softmax_rows(matmul(q / root, k.transpose(0, 1)));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("x is not a matrix");
    const Tensor v = matmul(x, w_v);
    const Tensor a = attention_weights(matmul(x, w_q), matmul(x, w_k));
    Tensor context = Tensor::zeros(v.shape());
    for (Index token = 0; token < v.size(0); ++token)
        for (Index other = 0; other < v.size(0); ++other) context[token] += a(other, token) * v[other];
    return context;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("x and attended do not fit");
    return x + attended;
}

}  // namespace headway::ex01
