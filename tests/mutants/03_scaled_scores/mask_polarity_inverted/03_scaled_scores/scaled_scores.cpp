#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k need the same B, H and d");
    const auto d = static_cast<float>(q.size(3));
    return matmul(q, k.transpose(2, 3)) * (1.0F / std::sqrt(d));
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
    const Mask keep = mask.defined() ? mask.expand(scores.shape()) : Mask::block_all(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b) {
        for (Index h = 0; h < scores.size(1); ++h) {
            for (Index t = 0; t < scores.size(2); ++t) {
                bool any = false;
                float top = 0.0F;
                for (Index s = 0; s < scores.size(3); ++s) {
                    if (!keep(b, h, t, s)) continue;
                    top = any ? std::max(top, scores(b, h, t, s)) : scores(b, h, t, s);
                    any = true;
                }
                if (!any) continue;
                float total = 0.0F;
                for (Index s = 0; s < scores.size(3); ++s) {
                    if (!keep(b, h, t, s)) continue;
                    weights(b, h, t, s) = std::exp(scores(b, h, t, s) - top);
                    total += weights(b, h, t, s);
                }
                for (Index s = 0; s < scores.size(3); ++s) weights(b, h, t, s) /= total;
            }
        }
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v need the same B, H and S");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
