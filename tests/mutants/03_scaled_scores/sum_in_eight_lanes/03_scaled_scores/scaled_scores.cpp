#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {
namespace {

/// Eight partial sums lose fewer digits than one long one.
float dot_in_lanes(const Tensor& a, const Tensor& b) {
    const Index lanes = 8;
    const Index width = a.size(0) / lanes;
    float partial[8] = {};
    for (Index i = 0; i < a.size(0); ++i) partial[std::min<Index>(i / width, lanes - 1)] += a(i) * b(i);
    float total = 0.0F;
    for (const float lane : partial) total += lane;
    return total;
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) throw std::invalid_argument("attention_scores: shape");
    Tensor scores = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s)
                    scores(b, h, t, s) = dot_in_lanes(q[b][h][t], k[b][h][s]) / std::sqrt(static_cast<float>(d));
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::block_all({T, S});
    const Index older = S - T;
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s <= std::min(t + older, S - 1); ++s) mask(t, s) = false;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    Index b = 0;
    for (const Index length : lengths) {
        for (Index s = length; s < S; ++s) mask(b, 0, 0, s) = true;
        ++b;
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("masked_softmax: rank");
    const Index S = scores.size(3);
    const Mask blocked = (mask.defined() ? mask : Mask::allow_all({S})).expand(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) {
                float top = -std::numeric_limits<float>::infinity();
                for (Index s = 0; s < S; ++s)
                    if (!blocked(b, h, t, s)) top = std::max(top, scores(b, h, t, s));
                float total = 0.0F;
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    weights(b, h, t, s) = std::exp(scores(b, h, t, s) - top);
                    total += weights(b, h, t, s);
                }
                if (total > 0.0F)
                    for (Index s = 0; s < S; ++s) weights(b, h, t, s) /= total;
            }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    const Index B = weights.size(0), H = weights.size(1), T = weights.size(2), S = weights.size(3);
    if (v.rank() != 4 || v.size(0) != B || v.size(1) != H || v.size(2) != S)
        throw std::invalid_argument("scaled_dot_product_attention: v has shape " + to_string(v.shape()));
    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index j = 0; j < v.size(3); ++j)
                    for (Index s = 0; s < S; ++s) context(b, h, t, j) += weights(b, h, t, s) * v(b, h, s, j);
    return {context, weights};
}

}  // namespace headway::ex03
