#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: q and k need four axes");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q " + to_string(q.shape()) + ", k " + to_string(k.shape()));

    const Index d_model = q.size(1) * q.size(3);
    return matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<float>(d_model));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = lengths[static_cast<std::size_t>(b)]; s < S; ++s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor filled = masked_fill(scores, mask, -1e30F);
    Tensor weights = exp(filled - max(filled, -1, KeepAxis::yes));
    weights = masked_fill(weights, mask, 0.0F);
    // An open row sums to at least 1 (its maximum gives exp(0)), so the tiny number only matters for blocked rows.
    return weights / (sum(weights, -1, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: v " + to_string(v.shape()) + " does not go with k");
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
