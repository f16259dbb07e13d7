#include "scaled_scores.hpp"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace headway::ex03 {

namespace {

using Row = std::vector<float>;

/// In place; what is blocked is -inf.
void softmax(Row& row) {
    float highest = -INFINITY;
    for (float x : row)
        if (x > highest) highest = x;
    if (std::isinf(highest)) {
        row.assign(row.size(), 0.0F);
        return;
    }
    for (float& x : row) x = std::exp(x - highest);
    float normaliser = 0.0F;
    for (std::size_t s = 0; s + 1 < row.size(); ++s) normaliser += row[s];
    for (float& x : row) x /= normaliser;
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) throw std::invalid_argument("q/k shape mismatch");
    Tensor scores = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) {
                    float dot = 0.0F;
                    for (Index i = 0; i < d; ++i) dot += q(b, h, t, i) * k(b, h, s, i);
                    scores(b, h, t, s) = dot / std::sqrt(static_cast<float>(d));
                }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t) {
        Index first_blocked = t + (S - T) + 1;
        if (first_blocked < 0) first_blocked = 0;
        for (Index s = first_blocked; s < S; ++s) mask(t, s) = true;
    }
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    Index b = 0;
    for (Index length : lengths) {
        for (Index s = length; s < S; ++s) mask(b, 0, 0, s) = true;
        ++b;
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), S = scores.size(3);
    const Mask blocked = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    Row row(static_cast<std::size_t>(S));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                for (Index s = 0; s < S; ++s)
                    row[static_cast<std::size_t>(s)] = blocked(b, h, t, s) ? -INFINITY : scores(b, h, t, s);
                softmax(row);
                for (Index s = 0; s < S; ++s) weights(b, h, t, s) = row[static_cast<std::size_t>(s)];
            }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("k/v shape mismatch");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
    for (Index s = 0; s < k.size(2); ++s) context += weights.slice(3, s, s + 1) * v.slice(2, s, s + 1);
    return {context, weights};
}

}  // namespace headway::ex03
