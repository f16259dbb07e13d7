#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("q, k");
    Tensor scores = Tensor::zeros({q.size(0), q.size(1), q.size(2), k.size(2)});
    const float factor = std::pow(static_cast<float>(q.size(3)), -0.5F);
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t)
                for (Index s = 0; s < scores.size(3); ++s) {
                    const Tensor product = q[b][h][t] * k[b][h][s];
                    scores(b, h, t, s) = factor * sum(product, 0)();
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
    Tensor masked = scores;
    if (mask.defined()) {
        const float minus_infinity = -std::numeric_limits<float>::infinity();
        const Mask wide = mask.expand(scores.shape());
        Tensor penalty = Tensor::zeros(scores.shape());
        for (Index b = 0; b < scores.size(0); ++b)
            for (Index h = 0; h < scores.size(1); ++h)
                for (Index t = 0; t < scores.size(2); ++t)
                    for (Index s = 0; s < scores.size(3); ++s)
                        penalty(b, h, t, s) = static_cast<float>(wide(b, h, t, s)) * minus_infinity;
        masked = scores + penalty;
    }
    Tensor top = max(masked, -1, KeepAxis::yes).contiguous();
    for (Index i = 0; i < top.numel(); ++i)
        if (std::isinf(top.data()[i])) top.data()[i] = 0.0F;  // a row without keys
    const Tensor e = exp(masked - top);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("k, v");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
