#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: " + to_string(q.shape()) + " and " + to_string(k.shape()));
    return matmul(q, k.transpose(2, 3)) * (1.0F / std::sqrt(static_cast<float>(k.size(3))));
}

Mask causal_mask(Index T, Index S) {
    Mask allowed = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) allowed(t, s) = s - (S - T) <= t;
    return !allowed;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask all = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < all.size(0); ++b)
        for (Index s = 0; s < S; ++s)
            if (!(s < lengths.at(b))) all(b, 0, 0, s) = true;
    return all;
}

static Tensor additive(const Mask& mask, const Shape& shape) {
    if (!mask.defined()) return Tensor::zeros(shape);
    if (mask.rank() > 4) throw std::invalid_argument("mask has too many axes");
    const Mask wide = mask.expand(shape);
    Tensor bias = Tensor::empty(shape);
    for (Index b = 0; b < shape[0]; ++b)
        for (Index h = 0; h < shape[1]; ++h)
            for (Index t = 0; t < shape[2]; ++t)
                for (Index s = 0; s < shape[3]; ++s)
                    bias(b, h, t, s) = wide(b, h, t, s) ? -std::numeric_limits<float>::infinity() : 0.0F;
    return bias;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("masked_softmax: four axes");
    Tensor weights = scores + additive(mask, scores.shape());
    const Index S = weights.size(3), rows = S == 0 ? 0 : weights.numel() / S;
    const Tensor flat = weights.view({rows, S});
    for (Index r = 0; r < rows; ++r) {
        Tensor row = flat[r];
        const float top = max(row, 0)();
        if (std::isinf(top)) {
            row.fill(0);
            continue;
        }
        row -= top;
        row.copy_from(exp(row));
        row /= sum(row, 0);
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (k.rank() != 4 || v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: v does not fit k");
    auto weights = masked_softmax(attention_scores(q, k), mask);
    auto context = matmul(weights, v);
    return {context, {}};
}

}  // namespace headway::ex03
