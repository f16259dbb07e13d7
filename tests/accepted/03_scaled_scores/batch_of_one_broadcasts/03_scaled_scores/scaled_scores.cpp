#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

// matmul checks the shapes for us
Tensor attention_scores(const Tensor& q, const Tensor& k) {
    const float d_k = static_cast<float>(k.size(-1));
    return matmul(q, k.transpose(-2, -1)) / std::sqrt(d_k);
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s)
            if (s > t + (S - T)) mask(t, s) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s)
            if (s >= lengths[static_cast<std::size_t>(b)]) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -1e30F);
    const Tensor e = exp(x - max(x, -1, KeepAxis::yes));
    const Tensor open = masked_fill(e, mask, 0.0F);
    Tensor total = sum(open, -1, KeepAxis::yes);
    for (Index b = 0; b < total.size(0); ++b)
        for (Index h = 0; h < total.size(1); ++h)
            for (Index t = 0; t < total.size(2); ++t)
                if (total(b, h, t, 0) == 0.0F) total(b, h, t, 0) = 1.0F;
    return open / total;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    for (const Tensor* other : {&k, &v})
        if (other->rank() != 4 || other->size(0) != q.size(0) || other->size(1) != q.size(1))
            throw std::invalid_argument("q, k and v must have the same batch and heads");
    if (k.size(2) != v.size(2)) throw std::invalid_argument("k and v must have the same length");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
