#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: q and k need four axes");
    for (const Index axis : {0, 1, 3})
        if (q.size(axis) != k.size(axis)) throw std::invalid_argument("attention_scores: q and k do not fit");
    return matmul(q, k.transpose(-2, -1)) / sqrt(static_cast<float>(q.size(-1)));
}

Mask causal_mask(Index T, Index S) {
    Mask future = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) future(t, s) = s > t + (S - T);
    return future;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    Mask padded = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s) padded(b, 0, 0, s) = s >= lengths[static_cast<std::size_t>(b)];
    return padded;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor filled = masked_fill(scores, mask, 1e-9F);
    const Tensor e = exp(filled - max(filled, -1, KeepAxis::yes));
    const Tensor weights = e / sum(e, -1, KeepAxis::yes);
    // rows in which nothing is open are zero
    const Tensor any_open = max(masked_fill(Tensor::ones(scores.shape()), mask, 0.0F), -1, KeepAxis::yes);
    return weights * any_open;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.rank() != 4)
        throw std::invalid_argument("scaled_dot_product_attention: four axes are needed");
    for (const Index axis : {0, 1, 2})
        if (k.size(axis) != v.size(axis))
            throw std::invalid_argument("scaled_dot_product_attention: k and v do not fit");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
