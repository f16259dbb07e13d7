#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {

namespace {

const float minus_infinity = -std::numeric_limits<float>::infinity();

/// log Σ exp over the last axis; -inf where nothing is left.
Tensor logsumexp(const Tensor& x) {
    Tensor top = max(x, -1, KeepAxis::yes);
    const Tensor safe = masked_fill(
        top,
        [&] {
            Mask empty_row = Mask::allow_all(top.shape());
            for (Index i = 0; i < top.numel(); ++i) empty_row.data()[i] = top.data()[i] == minus_infinity;
            return empty_row;
        }(),
        0.0F);
    return safe + log(sum(exp(x - safe), -1, KeepAxis::yes));
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("q and k must be of rank 4");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1)) throw std::invalid_argument("batch or heads differ");
    if (q.size(3) != k.size(3)) throw std::invalid_argument("head_dim differs");
    return matmul(q, k.transpose(-1, -2)) / std::sqrt(static_cast<float>(q.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask m = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) m(t, s) = s + T > t + S;
    return m;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask m = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < m.size(0); ++b)
        for (Index s = 0; s < S; ++s) m(b, 0, 0, s) = lengths[static_cast<std::size_t>(b)] <= s;
    return m;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("scores must be of rank 4");
    const Tensor visible = masked_fill(scores, mask, minus_infinity);
    Tensor weights = exp(visible - logsumexp(visible));
    // -inf - -inf: NaN exactly in the fully masked rows
    for (Index i = 0; i < weights.numel(); ++i)
        if (std::isnan(weights.data()[i])) weights.data()[i] = 0;
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("k and v must be of rank 4");
    if (v.size(0) != k.size(0) || v.size(1) != k.size(1)) throw std::invalid_argument("batch or heads differ");
    if (v.size(2) != k.size(2)) throw std::invalid_argument("number of keys and values differ");
    Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
