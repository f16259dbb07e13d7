#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k have different B, H or d");
    const float scale = std::sqrt(static_cast<float>(q.size(3)));
    return matmul(q, k.transpose(2, 3)) / scale;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < mask.size(0); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[static_cast<std::size_t>(b)];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor masked = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    const Tensor e = exp(masked - max(masked, -1, KeepAxis::yes));
    return e / sum(e, -1, KeepAxis::yes);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v have different B, H or S");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    const Tensor context = matmul(weights, v);
    return {context, weights};
}

}  // namespace headway::ex03
