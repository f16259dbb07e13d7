#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    const bool fits = q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(3) == k.size(3);
    if (!fits) throw std::invalid_argument("attention_scores: q and k do not fit");
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(k.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = std::max<Index>(0, t + S - T + 1); s < S; ++s) mask(t, s) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    Index b = 0;
    for (const Index length : lengths) {
        for (Index s = length; s < S; ++s) mask(b, 0, 0, s) = true;
        ++b;
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    static Tensor result;  // allocated once for each shape
    if (!result.defined() || result.shape() != scores.shape()) result = Tensor::zeros(scores.shape());
    const Mask blocked = Mask::allow_all(scores.shape()) | mask;
    if (blocked.shape() != scores.shape()) throw std::invalid_argument("masked_softmax: the mask does not fit");
    const Shape& n = scores.shape();
    for (Index row = 0; row < n[0] * n[1] * n[2]; ++row) {
        const Index b = row / (n[1] * n[2]);
        const Index h = row / n[2] % n[1];
        const Index t = row % n[2];
        double largest = -HUGE_VAL;
        for (Index s = 0; s < n[3]; ++s)
            if (!blocked(b, h, t, s)) largest = std::max<double>(largest, scores(b, h, t, s));
        double sum = 0;
        for (Index s = 0; s < n[3]; ++s) {
            const double e = blocked(b, h, t, s) ? 0.0 : std::exp(scores(b, h, t, s) - largest);
            result(b, h, t, s) = static_cast<float>(e);
            sum += e;
        }
        for (Index s = 0; s < n[3] && sum > 0; ++s) result(b, h, t, s) /= static_cast<float>(sum);
    }
    return result;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.size(2) != k.size(2)) throw std::invalid_argument("scaled_dot_product_attention: k and v do not fit");
    Attended attended;
    attended.weights = masked_softmax(attention_scores(q, k), mask).clone();
    attended.context = matmul(attended.weights, v);
    return attended;
}

}  // namespace headway::ex03
