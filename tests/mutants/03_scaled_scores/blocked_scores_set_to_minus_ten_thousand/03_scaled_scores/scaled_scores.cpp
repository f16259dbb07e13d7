#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

// Torch-like shorthand.
static Tensor softmax(const Tensor& x, Index dim) {
    const Tensor shifted = x - max(x, dim, KeepAxis::yes);
    const Tensor numerator = exp(shifted);
    return numerator / sum(numerator, dim, KeepAxis::yes);
}

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    const Shape& a = q.shape();
    const Shape& b = k.shape();
    if (a.size() != 4 || b.size() != 4 || a[0] != b[0] || a[1] != b[1] || a[3] != b[3])
        throw std::invalid_argument("attention_scores: q " + to_string(a) + ", k " + to_string(b));
    const auto scale = std::pow(static_cast<float>(a[3]), -0.5F);
    return scale * matmul(q, k.transpose(-1, -2));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = (T - 1 - t) > (S - 1 - s);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < mask.size(0); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = !(s < lengths[static_cast<std::size_t>(b)]);
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) { return softmax(masked_fill(scores, mask, -1e4F), -1); }

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Shape &a = k.shape(), &b = v.shape();
    if (a.size() != 4 || b.size() != 4 || a[0] != b[0] || a[1] != b[1] || a[2] != b[2])
        throw std::invalid_argument("scaled_dot_product_attention: k " + to_string(a) + ", v " + to_string(b));
    const Tensor attn = masked_softmax(attention_scores(q, k), mask);
    return {matmul(attn, v), attn};
}

}  // namespace headway::ex03
