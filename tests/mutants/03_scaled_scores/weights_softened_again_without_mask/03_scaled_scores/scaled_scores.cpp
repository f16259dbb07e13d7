#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {

namespace {

bool same_batch_and_heads(const Tensor& a, const Tensor& b) {
    return a.rank() == 4 && b.rank() == 4 && a.size(0) == b.size(0) && a.size(1) == b.size(1);
}

/// Softmax over the last axis.
Tensor softmax(const Tensor& x) {
    const Tensor e = exp(x - max(x, -1, KeepAxis::yes));
    return e / sum(e, -1, KeepAxis::yes);
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (!same_batch_and_heads(q, k) || q.size(3) != k.size(3)) throw std::invalid_argument("attention_scores: shapes");
    return matmul(q / std::sqrt(static_cast<float>(q.size(3))), k.transpose(2, 3));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    const Index shift = S - T;
    for (Index s = 0; s < S; ++s)
        for (Index t = 0; t < T; ++t)
            if (s - t > shift) mask(t, s) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = S - 1; s >= lengths.at(static_cast<std::size_t>(b)); --s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (!mask.defined()) return softmax(scores);
    const Mask blocked = mask.expand(scores.shape()).clone();
    // A large finite number instead of infinity, so that a row without keys stays a number until it is cleared.
    const Tensor lowered = masked_fill(scores, blocked, std::numeric_limits<float>::lowest());
    return masked_fill(softmax(lowered), blocked, 0.0F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (!same_batch_and_heads(k, v) || k.size(2) != v.size(2)) throw std::invalid_argument("attention: k and v");
    const Tensor attention = masked_softmax(attention_scores(q, k), mask);
    const Tensor weights = softmax(attention);  // probabilities
    return {.context = matmul(weights, v), .weights = weights};
}

}  // namespace headway::ex03
