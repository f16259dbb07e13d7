#include "attention_core.hpp"

#include <cmath>

namespace headway::ex05 {

Tensor scaled_scores(const Tensor& q, const Tensor& k) {
    return matmul(q, k.transpose(-1, -2)) / std::sqrt(static_cast<float>(q.size(-1)));
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor open = masked_fill(scores, mask, -1e30F);
    const Tensor e = masked_fill(exp(open - max(open, -1, KeepAxis::yes)), mask, 0.0F);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-35F);
}

void drop(Tensor& weights, float p, Random& random) {
    for (Index i = 0; i < weights.numel(); ++i)
        weights.data()[i] = random.uniform() < p ? 0.0F : weights.data()[i] / (1.0F - p);
}

Tensor weighted_sum(const Tensor& weights, const Tensor& v) {
    const Index B = v.size(0), H = v.size(1), T = weights.size(2), S = v.size(2), d = v.size(3);
    Tensor context = Tensor::empty({B, H, T, d});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s)
                    for (Index i = 0; i < d; ++i) context(b, h, t, i) += weights(b, h, t, s) * v(b, h, s, i);
    return context;
}

}  // namespace headway::ex05
