#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

// Four at a time, so that the compiler can use SIMD.
static float dot(const float* a, const float* b, Index n) {
    float acc[4] = {0, 0, 0, 0};
    for (Index block = 0; block < n / 4; ++block) {
        acc[0] += a[0] * b[0];
        acc[1] += a[1] * b[1];
        acc[2] += a[2] * b[2];
        acc[3] += a[3] * b[3];
        a += 4;
        b += 4;
    }
    return (acc[0] + acc[1]) + (acc[2] + acc[3]);
}

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: scores are not (T, S)");
    Tensor w = exp(scores - max(scores, 1, KeepAxis::yes));
    w /= sum(w, 1, KeepAxis::yes);
    return w;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: q, k are not matrices");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: q, k differ in width");
    const Tensor qc = q.contiguous();
    const Tensor kc = k.contiguous();
    const Index d = q.size(1);
    const float scale = 1.0f / std::sqrt(static_cast<float>(d));
    Tensor scores = Tensor::empty({q.size(0), k.size(0)});
    float* out = scores.data();
    for (Index t = 0; t < q.size(0); ++t)
        for (Index s = 0; s < k.size(0); ++s) *out++ = scale * dot(qc.data() + t * d, kc.data() + s * d, d);
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("single_head_attention: x is not a matrix");
    for (const Tensor& w : {w_q, w_k, w_v})
        if (w.rank() != 2 || w.size(0) != x.size(1))
            throw std::invalid_argument("single_head_attention: a weight is not (D, n)");
    const Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return matmul(weights, matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes are not equal");
    return x + attended;
}

}  // namespace headway::ex01
