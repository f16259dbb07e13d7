#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {
namespace {

/// Four sums at once keep the processor busy.
float dot(const float* a, const float* b, Index n) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    const Index blocks = n / 4;
    for (Index block = 0; block < blocks; ++block, a += 4, b += 4) {
        s0 += a[0] * b[0];
        s1 += a[1] * b[1];
        s2 += a[2] * b[2];
        s3 += a[3] * b[3];
    }
    return (s0 + s1) + (s2 + s3);
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k do not fit");
    const Tensor qc = q.contiguous();
    const Tensor kc = k.contiguous();
    const Index T = q.size(2), S = k.size(2), d = q.size(3);
    const float scale = 1.0F / std::sqrt(static_cast<float>(d));
    Tensor scores = Tensor::empty({q.size(0), q.size(1), T, S});
    float* out = scores.data();
    for (Index row = 0; row < scores.numel() / S; ++row) {
        const Index head = row / T;
        for (Index s = 0; s < S; ++s) *out++ = scale * dot(qc.data() + row * d, kc.data() + (head * S + s) * d, d);
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -1e30F);
    const Tensor e = masked_fill(exp(x - max(x, -1, KeepAxis::yes)), mask, 0.0F);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v do not fit");
    Attended a;
    a.weights = masked_softmax(attention_scores(q, k), mask);
    a.context = matmul(a.weights, v);
    return a;
}

}  // namespace headway::ex03
