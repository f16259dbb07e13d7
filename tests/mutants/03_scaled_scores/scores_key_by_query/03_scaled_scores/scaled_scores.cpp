#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {
namespace {

void must_agree(const Tensor& a, const Tensor& b, std::initializer_list<Index> axes) {
    for (const Index axis : axes)
        if (a.size(axis) != b.size(axis))
            throw std::invalid_argument(to_string(a.shape()) + " and " + to_string(b.shape()) + " do not agree");
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: q and k must have four axes");
    must_agree(q, k, {0, 1, 3});
    const float d = static_cast<float>(k.size(3));
    return matmul(k, q.transpose(2, 3)) / std::sqrt(d);
}

Mask causal_mask(Index T, Index S) {
    Mask blocked = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) blocked(t, s) = t + S < s + T;
    return blocked;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask blocked = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) blocked(b, 0, 0, s) = lengths[b] <= s;
    return blocked;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask blocked = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor weights = scores.contiguous().clone();
    for (Index b = 0; b < weights.size(0); ++b) {
        for (Index h = 0; h < weights.size(1); ++h) {
            for (Index t = 0; t < weights.size(2); ++t) {
                float* row = &weights(b, h, t, 0);
                const Index S = weights.size(3);
                float top = -HUGE_VALF;
                for (Index s = 0; s < S; ++s)
                    if (!blocked(b, h, t, s) && row[s] > top) top = row[s];
                float total = 0;
                for (Index s = 0; s < S; ++s) {
                    row[s] = blocked(b, h, t, s) ? 0.0F : std::exp(row[s] - top);
                    total += row[s];
                }
                if (total == 0) continue;
                for (Index s = 0; s < S; ++s) row[s] /= total;
            }
        }
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4) throw std::invalid_argument("v must be (B, H, S, d_v)");
    must_agree(k, v, {0, 1, 2});
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
