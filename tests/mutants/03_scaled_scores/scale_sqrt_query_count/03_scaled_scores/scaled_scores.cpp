#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    const Shape& qs = q.shape();
    const Shape& ks = k.shape();
    if (qs.size() != 4 || ks.size() != 4 || qs[0] != ks[0] || qs[1] != ks[1] || qs[3] != ks[3])
        throw std::invalid_argument("attention_scores: shapes " + to_string(qs) + " and " + to_string(ks));

    const Tensor query = q.contiguous();
    const Tensor key = k.contiguous();
    Tensor scores = Tensor::empty({qs[0], qs[1], qs[2], ks[2]});
    const float scale = 1.0F / std::sqrt(static_cast<float>(query.shape()[2]));

    float* out = scores.data();
    for (Index head = 0; head < qs[0] * qs[1]; ++head) {
        const float* q_head = query.data() + head * qs[2] * qs[3];
        const float* k_head = key.data() + head * ks[2] * ks[3];
        for (Index t = 0; t < qs[2]; ++t) {
            for (Index s = 0; s < ks[2]; ++s) {
                float sum = 0.0F;
                for (Index i = 0; i < qs[3]; ++i) sum += q_head[t * qs[3] + i] * k_head[s * ks[3] + i];
                *out++ = sum * scale;
            }
        }
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    bool* cell = mask.data();
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) *cell++ = s - t > S - T;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    bool* cell = mask.data();
    for (const Index length : lengths)
        for (Index s = 0; s < S; ++s) *cell++ = s >= length;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Index S = scores.shape().back();
    const Tensor x = scores.contiguous();
    const Mask full = (mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape())).clone();
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index row = 0; row < x.numel() / S; ++row) {
        const float* in = x.data() + row * S;
        const bool* blocked = full.data() + row * S;
        float* out = weights.data() + row * S;
        float top = -INFINITY;
        for (Index s = 0; s < S; ++s)
            if (!blocked[s]) top = std::fmax(top, in[s]);
        if (top == -INFINITY) continue;
        float total = 0.0F;
        for (Index s = 0; s < S; ++s) total += out[s] = blocked[s] ? 0.0F : std::exp(in[s] - top);
        for (Index s = 0; s < S; ++s) out[s] /= total;
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    const Shape& vs = v.shape();
    if (vs.size() != 4 || vs[0] != k.size(0) || vs[1] != k.size(1) || vs[2] != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: v has shape " + to_string(vs));
    return Attended{.context = matmul(weights, v), .weights = weights};
}

}  // namespace headway::ex03
