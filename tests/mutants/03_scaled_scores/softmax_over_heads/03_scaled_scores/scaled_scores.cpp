#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("q and k: (B, H, length, d)");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    if (k.shape() != Shape{B, H, S, d}) throw std::invalid_argument("attention_scores: k " + to_string(k.shape()));
    Tensor scores = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < S; ++s)
                for (Index h = 0; h < H; ++h) {
                    float similarity = 0.0F;
                    for (Index i = 0; i < d; ++i) similarity += q(b, h, t, i) * k(b, h, s, i);
                    scores(b, h, t, s) = similarity / std::sqrt(static_cast<float>(d));
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
    const Mask blocked = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), S = scores.size(3);
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < S; ++s) {
                float top = -INFINITY;
                for (Index h = 0; h < H; ++h)
                    if (!blocked(b, h, t, s)) top = std::max(top, scores(b, h, t, s));
                float total = 0.0F;
                for (Index h = 0; h < H; ++h)
                    if (!blocked(b, h, t, s)) total += std::exp(scores(b, h, t, s) - top);
                for (Index h = 0; h < H; ++h)
                    if (!blocked(b, h, t, s)) weights(b, h, t, s) = std::exp(scores(b, h, t, s) - top) / total;
            }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: v " + to_string(v.shape()));
    Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::zeros({v.size(0), v.size(1), q.size(2), v.size(3)});
    for (Index b = 0; b < context.size(0); ++b)
        for (Index t = 0; t < context.size(2); ++t)
            for (Index h = 0; h < context.size(1); ++h)
                for (Index j = 0; j < context.size(3); ++j)
                    for (Index s = 0; s < v.size(2); ++s) context(b, h, t, j) += weights(b, h, t, s) * v(b, h, s, j);
    return {context, weights};
}

}  // namespace headway::ex03
