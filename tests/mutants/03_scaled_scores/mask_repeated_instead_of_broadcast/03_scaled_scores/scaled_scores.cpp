#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("q and k must have rank 4");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1)) throw std::invalid_argument("B and H must agree");
    if (q.size(3) != k.size(3)) throw std::invalid_argument("d must agree");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3);
    Tensor scores = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index s = 0; s < S; ++s)
                for (Index i = 0; i < d; ++i) {
                    const float key = k(b, h, s, i);
                    for (Index t = 0; t < T; ++t) scores(b, h, t, s) += q(b, h, t, i) * key;
                }
    return scores / std::sqrt(static_cast<float>(d));
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
    const Index S = scores.size(3);
    Tensor weights = scores.contiguous().clone();
    float* w = weights.data();

    if (mask.defined()) {
        mask.expand(scores.shape());  // throws if the mask does not fit
        const Mask dense = mask.clone();
        for (Index i = 0; i < weights.numel(); ++i)
            if (dense.data()[i % dense.numel()]) w[i] = -INFINITY;
    }
    for (Index row = 0; row < weights.numel() / S; ++row, w += S) {
        float top = -INFINITY;
        for (Index s = 0; s < S; ++s) top = w[s] > top ? w[s] : top;
        float total = 0.0F;
        for (Index s = 0; s < S; ++s) {
            w[s] = w[s] == -INFINITY ? 0.0F : std::exp(w[s] - top);
            total += w[s];
        }
        for (Index s = 0; s < S; ++s) w[s] = total == 0.0F ? 0.0F : w[s] / total;
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1)) throw std::invalid_argument("v: B and H");
    if (v.size(2) != k.size(2)) throw std::invalid_argument("v: S must agree with k");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
