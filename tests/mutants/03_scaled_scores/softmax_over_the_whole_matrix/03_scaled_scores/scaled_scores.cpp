#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: mismatch");
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(k.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask wide = mask.defined() ? mask.expand(scores.shape()).clone() : Mask::allow_all(scores.shape());
    Tensor weights = scores.contiguous().clone();
    const Index heads = scores.size(0) * scores.size(1);
    const Index count = scores.size(2) * scores.size(3);
    for (Index head = 0; head < heads; ++head) {
        float* const first = weights.data() + head * count;
        float* const last = first + count;
        const bool* blocked = wide.data() + head * count;
        for (Index i = 0; i < count; ++i)
            if (blocked[i]) first[i] = -INFINITY;
        const float top = *std::max_element(first, last);
        float total = 0.0F;
        for (float* w = first; w != last; ++w) {
            *w = *w == -INFINITY ? 0.0F : std::exp(*w - top);
            total += *w;
        }
        if (total > 0.0F) std::for_each(first, last, [total](float& w) { w /= total; });
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: mismatch");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
