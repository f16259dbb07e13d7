#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

namespace {

Tensor softmax(const Tensor& x) {
    const Tensor e = exp(x - max(x, -1, KeepAxis::yes));
    return e / sum(e, -1, KeepAxis::yes);
}

void check(const Tensor& a, const Tensor& b, Index axis) {
    if (a.size(axis) != b.size(axis))
        throw std::invalid_argument(to_string(a.shape()) + " and " + to_string(b.shape()) + " do not fit in axis " +
                                    std::to_string(axis));
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: q and k must be of rank 4");
    check(q, k, 0);
    check(q, k, 1);
    check(q, k, 3);
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(q.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > S - T + t;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < mask.size(0); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[static_cast<std::size_t>(b)];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) { return masked_fill(softmax(scores), mask, 0.0F); }

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4) throw std::invalid_argument("v must be (B, H, S, d_v)");
    check(k, v, 0);
    check(k, v, 1);
    check(k, v, 2);
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
