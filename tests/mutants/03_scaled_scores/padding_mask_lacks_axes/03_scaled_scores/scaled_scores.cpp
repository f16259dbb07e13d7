#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: bad shapes");
    Tensor out = matmul(q, k.transpose(3, 2));
    out /= std::sqrt(static_cast<float>(q.size(3)));
    return out;
}

Mask causal_mask(Index T, Index S) {
    Mask out = Mask::allow_all({T, S});
    for (Index row = 0; row != T; ++row)
        for (Index col = 0; col != S; ++col) out(row, col) = col > row + (S - T);
    return out;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask out = Mask::allow_all({B, S});
    for (Index row = 0; row != B; ++row)
        for (Index col = 0; col != S; ++col) out(row, col) = col >= lengths[static_cast<std::size_t>(row)];
    return out;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    Tensor out = masked_fill(scores, mask, -1e30F);
    out -= max(out, -1, KeepAxis::yes);
    out = masked_fill(exp(out), mask, 0.0F);
    out /= sum(out, -1, KeepAxis::yes) + 1e-30F;
    return out;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: bad shapes");
    const Tensor out = masked_softmax(attention_scores(q, k), mask);
    return {matmul(out, v), out};
}

}  // namespace headway::ex03
