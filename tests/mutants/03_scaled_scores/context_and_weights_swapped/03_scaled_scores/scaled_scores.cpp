#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace headway::ex03 {

static void same(const Tensor& a, const Tensor& b, Index axis) {
    if (a.size(axis) != b.size(axis)) throw std::invalid_argument("sizes differ along axis " + std::to_string(axis));
}

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    same(q, k, 0);
    same(q, k, 1);
    same(q, k, 3);
    const float scale = 1.0f / std::sqrt(static_cast<float>(q.size(3)));
    return scale * matmul(q, k.transpose(-1, -2));
}

Mask causal_mask(Index T, Index S) {
    Mask blocked = Mask::allow_all({T, S});
    const Index past = S - T;
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s)
            if (s > past + t) blocked(t, s) = true;
    return blocked;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask blocked = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s) blocked(b, 0, 0, s) = s >= lengths[static_cast<std::size_t>(b)];
    return blocked;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask blocked = Mask::allow_all(scores.shape()) | mask;
    if (blocked.shape() != scores.shape()) throw std::invalid_argument("mask and scores do not fit");
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) {
                float maximum = -INFINITY;
                for (Index s = 0; s < scores.size(3); ++s)
                    if (!blocked(b, h, t, s)) maximum = std::fmax(maximum, scores(b, h, t, s));
                float total = 0;
                for (Index s = 0; s < scores.size(3); ++s) {
                    if (blocked(b, h, t, s)) continue;
                    weights(b, h, t, s) = std::exp(scores(b, h, t, s) - maximum);
                    total += weights(b, h, t, s);
                }
                if (total == 0) continue;
                for (Index s = 0; s < scores.size(3); ++s) weights(b, h, t, s) /= total;
            }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    same(k, v, 2);
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    const Tensor context = matmul(weights, v);
    return {weights, context};
}

}  // namespace headway::ex03
