#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

// One function for the scores, so that the scale is in one place.
static Tensor weights_with_scale(const Tensor& q, const Tensor& k, float scale) {
    const Index T = q.size(0), S = k.size(0), d = q.size(1);
    Tensor scores = Tensor::empty({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            double dot = 0;
            for (Index i = 0; i < d; ++i) dot += static_cast<double>(q(t, i)) * k(s, i);
            scores(t, s) = static_cast<float>(dot) * scale;
        }
    return softmax_rows(scores);
}

static float rsqrt(Index n) { return 1.0f / std::sqrt(static_cast<float>(n)); }

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: rank 2 needed");
    Tensor p = Tensor::empty(scores.shape());
    for (Index t = 0; t < scores.size(0); ++t) {
        const Tensor row = scores[t];
        float m = row(0);
        for (Index s = 0; s < row.numel(); ++s) m = std::fmax(m, row(s));
        double z = 0;
        for (Index s = 0; s < row.numel(); ++s) z += std::exp(row(s) - m);
        for (Index s = 0; s < row.numel(); ++s) p(t, s) = static_cast<float>(std::exp(row(s) - m) / z);
    }
    return p;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1)) throw std::invalid_argument("q and k do not match");
    return weights_with_scale(q, k, rsqrt(q.size(1)));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("rank 2 needed");
    if (w_q.size(0) != x.size(1) || w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("a weight does not have D rows");
    if (w_q.size(1) != w_k.size(1)) throw std::invalid_argument("w_q and w_k differ in width");
    const Tensor v = matmul(x, w_v);
    return matmul(weights_with_scale(matmul(x, w_q), matmul(x, w_k), rsqrt(v.size(-1))), v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("x and attended do not match");
    return x + attended;
}

}  // namespace headway::ex01
