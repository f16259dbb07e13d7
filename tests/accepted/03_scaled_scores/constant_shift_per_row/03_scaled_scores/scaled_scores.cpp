#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {

static void check_pair(const Tensor& a, const Tensor& b, Index axis) {
    if (a.rank() != 4 || b.rank() != 4 || a.size(0) != b.size(0) || a.size(1) != b.size(1) ||
        a.size(axis) != b.size(axis))
        throw std::invalid_argument(to_string(a.shape()) + " and " + to_string(b.shape()) + " do not fit");
}

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    check_pair(q, k, 3);
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(q.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index s = 0; s < S; ++s)  // column by column: key s becomes visible at query s - (S - T)
        for (Index t = 0; t < T && t < s - (S - T); ++t) mask(t, s) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < mask.size(0); ++b)
        for (Index s = S - 1; s >= 0 && s >= lengths[b]; --s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("scores: (B, H, T, S)");
    constexpr float lowest = std::numeric_limits<float>::lowest();
    // finite, so that nothing here can become NaN; what a fully blocked row gets is zeroed at the end
    const Tensor filled = masked_fill(scores, mask, lowest / 2);
    const Tensor e = exp(filled - max(filled, 3, KeepAxis::yes));
    return masked_fill(e / sum(e, 3, KeepAxis::yes), mask, 0.0F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check_pair(q, k, 3);
    check_pair(k, v, 2);
    // centred keys: every score of a row drops by the same amount, and numbers get smaller
    const Tensor centred = k - mean(k, 2, KeepAxis::yes);
    const Tensor weights = masked_softmax(attention_scores(q, centred), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
