#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: incompatible q and k");
    const Index d = q.size(3);
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(d));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s)
            if (s - t <= S - T) mask(t, s) = false;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::block_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s)
            if (s < lengths[static_cast<std::size_t>(b)]) mask(b, 0, 0, s) = false;
    return mask;
}

/// 1 where a query may attend, 0 where it may not.
static Tensor as_factor(const Mask& mask, const Shape& shape) { return masked_fill(Tensor::ones(shape), mask, 0.0F); }

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor factor = as_factor(mask, scores.shape());
    const Tensor masked = scores * factor;
    const Tensor e = exp(masked - max(masked, -1, KeepAxis::yes));
    // 0 for rows in which no key is open, so that they come out as zero
    const Tensor some_open = max(factor, -1, KeepAxis::yes);
    return e / sum(e, -1, KeepAxis::yes) * some_open;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: incompatible k and v");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
