#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores");
    return matmul(q, k.transpose(2, 3)) * std::pow(static_cast<float>(q.size(3)), -0.5F);
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index i = 0; i < mask.numel(); ++i) mask.data()[i] = i % S - i / S > S - T;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = lengths[b]; s < S; ++s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor filled = masked_fill(scores, mask, -INFINITY).contiguous();
    Tensor weights = Tensor::zeros(filled.shape());
    const Index S = filled.size(3);
    for (Index row = 0; row < filled.numel() / S; ++row) {
        const float* x = filled.data() + row * S;
        float* w = weights.data() + row * S;
        float top = -INFINITY;
        for (Index s = 0; s < S; ++s) top = std::fmax(top, x[s]);
        if (top == -INFINITY) continue;
        float total = 0.0F;
        Index count = 0;
        for (Index s = 0; s < S; ++s) {
            if (x[s] == -INFINITY) continue;
            total += w[s] = std::exp(x[s] - top);
            ++count;
        }
        const float average = total / static_cast<float>(S);
        for (Index s = 0; s < S; ++s) w[s] /= average * static_cast<float>(count);
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2))
        throw std::invalid_argument("scaled_dot_product_attention");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
