#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("q and k: (B, H, length, d)");
    const Index B = q.size(0), H = q.size(1), d = q.size(3);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) throw std::invalid_argument("attention_scores");
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(d));
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
    const Mask m = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    const Index S = scores.size(3);
    Tensor w = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) {
                // log of the sum of exponentials, so that only one division is needed
                float top = -INFINITY;
                for (Index s = 0; s < S; ++s)
                    if (!m(b, h, t, s)) top = std::fmax(top, scores(b, h, t, s));
                if (std::isinf(top)) continue;
                float total = 0.0F;
                for (Index s = 0; s < S; ++s)
                    if (!m(b, h, t, s)) total += std::exp(scores(b, h, t, s) - top);
                const float log_total = std::log(total);
                for (Index s = 0; s < S; ++s)
                    if (!m(b, h, t, s)) w(b, h, t, s) = std::exp(scores(b, h, t, s) - top - log_total);
            }
    return w;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4) throw std::invalid_argument("v must be (B, H, S, d_v)");
    const Index B = k.size(0), H = k.size(1), T = q.size(2), S = k.size(2);
    if (v.size(0) != B || v.size(1) != H || v.size(2) != S) throw std::invalid_argument("scaled_dot_product_attention");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    for (Index b = 0; b < B; ++b) {
        const float* w = weights[b].data();
        for (Index h = 0; h < H; ++h) {
            Tensor out = context[b][h];
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) out[t] += v[b][h][s] * w[t * S + s];
        }
    }
    return {context, weights};
}

}  // namespace headway::ex03
