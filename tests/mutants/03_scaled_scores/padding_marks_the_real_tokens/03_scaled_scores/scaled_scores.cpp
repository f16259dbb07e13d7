#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

// What is true here, is left out there.
namespace headway::ex03 {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() == 4 && k.rank() == 4 && q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(3) == k.size(3)) {
        const float sqrt_d = std::sqrt(static_cast<float>(k.size(3)));
        return matmul(q, (k / sqrt_d).transpose(2, 3));
    }
    throw std::invalid_argument("attention_scores: q " + to_string(q.shape()) + " does not go with k " +
                                to_string(k.shape()));
}

Mask causal_mask(Index T, Index S) {
    Mask future = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const Index position = S - T + t;
        for (Index s = 0; s < S; ++s) future(t, s) = position < s;
    }
    return future;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask padding = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    bool* p = padding.data();
    for (Index length : lengths)
        for (Index s = 0; s < S; ++s) *p++ = s < length;
    return padding;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor logits = masked_fill(scores, mask, minus_infinity);
    const Tensor top = max(logits, 3, KeepAxis::yes);
    Tensor weights = Tensor::zeros(scores.shape());
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), S = scores.size(3);
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                const float m = top(b, h, t, 0);
                if (m == minus_infinity) continue;
                float log_sum = 0.0F;
                for (Index s = 0; s < S; ++s) log_sum += std::exp(logits(b, h, t, s) - m);
                log_sum = m + std::log(log_sum);
                for (Index s = 0; s < S; ++s) weights(b, h, t, s) = std::exp(logits(b, h, t, s) - log_sum);
            }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const bool values_fit =
        v.rank() == 4 && k.rank() == 4 && v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2);
    if (!values_fit) throw std::invalid_argument("attention: a value of every key, please");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {.context = matmul(weights, v), .weights = weights};
}

}  // namespace headway::ex03
