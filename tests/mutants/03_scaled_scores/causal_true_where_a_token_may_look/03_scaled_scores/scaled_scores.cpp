#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

namespace {

/// As numpy.tril(ones((rows, columns)), diagonal).
Mask tril(Index rows, Index columns, Index diagonal) {
    Mask triangle = Mask::allow_all({rows, columns});
    for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < columns && c <= r + diagonal; ++c) triangle(r, c) = true;
    return triangle;
}

/// One (T, S) matrix of scores; `blocked` of the same shape or undefined.
void softmax_into(Tensor weights, const Tensor& scores, const Mask& blocked, Index b, Index h) {
    const Index T = scores.size(0), S = scores.size(1);
    for (Index t = 0; t < T; ++t) {
        auto open = [&](Index s) { return !blocked.defined() || !blocked(b, h, t, s); };
        float top = -INFINITY;
        for (Index s = 0; s < S; ++s)
            if (open(s)) top = std::fmax(top, scores(t, s));
        float total = 0.0F;
        for (Index s = 0; s < S; ++s) {
            weights(t, s) = open(s) ? std::exp(scores(t, s) - top) : 0.0F;
            total += weights(t, s);
        }
        if (total > 0.0F)
            for (Index s = 0; s < S; ++s) weights(t, s) /= total;
    }
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k must be (B, H, T, d) and (B, H, S, d)");
    Tensor scores = Tensor::empty({q.size(0), q.size(1), q.size(2), k.size(2)});
    const float d = static_cast<float>(q.size(3));
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            scores[b][h].copy_from(matmul(q[b][h], k[b][h].transpose(0, 1)) / std::sqrt(d));
    return scores;
}

Mask causal_mask(Index T, Index S) { return tril(T, S, S - T); }

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s)
            if (s >= lengths[static_cast<std::size_t>(b)]) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    Tensor weights = Tensor::empty(scores.shape());
    const Mask blocked = mask.defined() ? mask.expand(scores.shape()) : mask;
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h) softmax_into(weights[b][h], scores[b][h], blocked, b, h);
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: v must be (B, H, S, d_v)");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
