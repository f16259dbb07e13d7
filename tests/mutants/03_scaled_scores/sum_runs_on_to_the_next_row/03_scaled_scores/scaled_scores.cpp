#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: batch size, heads or width differ");
    const float scale = 1.0F / std::sqrt(static_cast<float>(q.size(3)));
    Tensor out = Tensor::zeros({q.size(0), q.size(1), q.size(2), k.size(2)});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            for (Index t = 0; t < q.size(2); ++t)
                for (Index s = 0; s < k.size(2); ++s) {
                    for (Index i = 0; i < q.size(3); ++i) out(b, h, t, s) += q(b, h, t, i) * k(b, h, s, i);
                    out(b, h, t, s) *= scale;
                }
    return out;
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
    const Mask blocked = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor out = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b) {
        for (Index h = 0; h < scores.size(1); ++h) {
            float total = 0.0F;
            for (Index t = 0; t < scores.size(2); ++t) {
                float top = -1e38F;
                for (Index s = 0; s < scores.size(3); ++s) {
                    if (blocked(b, h, t, s)) continue;
                    if (scores(b, h, t, s) > top) top = scores(b, h, t, s);
                }
                for (Index s = 0; s < scores.size(3); ++s) {
                    if (blocked(b, h, t, s)) continue;
                    out(b, h, t, s) = std::exp(scores(b, h, t, s) - top);
                    total += out(b, h, t, s);
                }
                for (Index s = 0; s < scores.size(3); ++s) {
                    if (blocked(b, h, t, s)) continue;
                    out(b, h, t, s) /= total;
                }
            }
        }
    }
    return out;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: batch size, heads or length differ");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
