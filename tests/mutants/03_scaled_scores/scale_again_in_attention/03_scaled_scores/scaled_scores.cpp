#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

namespace {

float inverse_sqrt(Index n) { return 1.0F / std::sqrt(static_cast<float>(n)); }

bool same_batch_and_heads(const Tensor& a, const Tensor& b) {
    return a.rank() == 4 && b.rank() == 4 && a.size(0) == b.size(0) && a.size(1) == b.size(1);
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (!same_batch_and_heads(q, k) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q " + to_string(q.shape()) + " against k " +
                                    to_string(k.shape()));
    return matmul(q * inverse_sqrt(q.size(3)), k.transpose(2, 3));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index back = 0; back < T; ++back) {
        // counted from the last query, which sees all S keys; the one before it one less, ...
        const Index t = T - 1 - back;
        for (Index s = std::max<Index>(S - back, 0); s < S; ++s) mask(t, s) = true;
    }
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < mask.size(0); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[static_cast<std::size_t>(b)];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor safe = masked_fill(scores, mask, -1e31F);
    const Tensor top = max(safe, -1, KeepAxis::yes);
    const Tensor e = masked_fill(exp(safe - top), mask, 0.0F);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-35F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (!same_batch_and_heads(k, v) || k.size(2) != v.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v do not belong together");
    const Tensor scaled_q = q * inverse_sqrt(q.size(3));
    const Tensor weights = masked_softmax(attention_scores(scaled_q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
