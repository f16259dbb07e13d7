#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: rank 4 is needed");
    const Index B = q.size(0), H = q.size(1), d = q.size(3), S = k.size(2);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d)
        throw std::invalid_argument("attention_scores: batch, heads and width of q and k must agree");
    const Tensor keys = k.contiguous().view({B, H, d, S});  // ready for the product
    return matmul(q, keys) / std::sqrt(static_cast<float>(d));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    const Index offset = S - T;
    for (Index t = 0; t < T; ++t) {
        for (Index s = 0; s < S; ++s) {
            const bool in_the_future = s > t + offset;
            mask(t, s) = in_the_future;
        }
    }
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < mask.size(0); ++b) {
        const Index length = lengths[static_cast<std::size_t>(b)];
        for (Index s = 0; s < S; ++s) {
            const bool behind_the_end = s >= length;
            mask(b, 0, 0, s) = behind_the_end;
        }
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    // 1. blocked scores cannot be the maximum
    Tensor x = masked_fill(scores, mask, -1e30F);
    // 2. stable exponentials
    x = exp(x - max(x, -1, KeepAxis::yes));
    // 3. blocked keys weigh nothing
    x = masked_fill(x, mask, 0.0F);
    // 4. normalise; a row in which everything is blocked stays 0
    Tensor total = sum(x, -1, KeepAxis::yes);
    total += 1e-30F;
    return x / total;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4) throw std::invalid_argument("v must be (B, H, S, d_v)");
    const Index B = k.size(0), H = k.size(1), S = k.size(2);
    if (v.size(0) != B || v.size(1) != H || v.size(2) != S)
        throw std::invalid_argument("scaled_dot_product_attention: one value a key is needed");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
