#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

// Each function below runs over one flat index, as a GPU kernel would.

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: (B, H, T, d) and (B, H, S, d) expected");
    const Index H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3);
    Tensor scores = Tensor::zeros({q.size(0), H, T, S});
    float* out = scores.data();
    for (Index idx = 0; idx < scores.numel(); ++idx) {
        const Index s = idx % S;
        const Index h = idx / S % H;
        const Index t = idx / (S * H) % T;
        const Index b = idx / (S * H * T);
        float acc = 0.0F;
        for (Index i = 0; i < d; ++i) acc += q(b, h, t, i) * k(b, h, s, i);
        out[idx] = acc / std::sqrt(static_cast<float>(d));
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index idx = 0; idx < T * S; ++idx) {
        const Index t = idx / S, s = idx % S;
        mask(t, s) = s > t + (S - T);
    }
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index idx = 0; idx < mask.numel(); ++idx) {
        const Index b = idx / S, s = idx % S;
        mask(b, 0, 0, s) = s >= lengths[static_cast<std::size_t>(b)];
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), S = scores.size(3);
    const Mask full = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor weights = Tensor::zeros({B, H, T, S});
    for (Index idx = 0; idx < B * H * T; ++idx) {
        const Index t = idx % T, h = idx / T % H, b = idx / (T * H);
        float top = -INFINITY;
        for (Index s = 0; s < S; ++s)
            if (!full(b, h, t, s)) top = std::fmax(top, scores(b, h, t, s));
        float total = 0.0F;
        for (Index s = 0; s < S; ++s)
            if (!full(b, h, t, s)) total += std::exp(scores(b, h, t, s) - top);
        for (Index s = 0; s < S; ++s)
            if (!full(b, h, t, s)) weights(b, h, t, s) = std::exp(scores(b, h, t, s) - top) / total;
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: (B, H, S, d_v) expected for v");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    const Index H = q.size(1), T = q.size(2), dv = v.size(3);
    Tensor context = Tensor::zeros({q.size(0), H, T, dv});
    for (Index idx = 0; idx < context.numel(); ++idx) {
        const Index j = idx % dv, t = idx / dv % T, h = idx / (dv * T) % H, b = idx / (dv * T * H);
        for (Index s = 0; s < v.size(2); ++s) context(b, h, t, j) += weights(b, h, t, s) * v(b, h, s, j);
    }
    return {context, weights};
}

}  // namespace headway::ex03
