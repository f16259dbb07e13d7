#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

namespace {
constexpr float negligible = 0.01F;
}

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("q and k have four axes");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1)) throw std::invalid_argument("q and k have the same heads");
    if (q.size(3) != k.size(3)) throw std::invalid_argument("q and k have the same width");
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(q.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s + T - S > t;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < mask.size(0); ++b)
        std::fill(mask.data() + b * S + lengths[static_cast<std::size_t>(b)], mask.data() + (b + 1) * S, true);
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -INFINITY);
    Tensor top = max(x, -1, KeepAxis::yes);
    std::replace(top.data(), top.data() + top.numel(), -INFINITY, 0.0F);
    const Tensor e = exp(x - top);
    Tensor w = e / (sum(e, -1, KeepAxis::yes) + 1e-30F);
    for (float* p = w.data(); p != w.data() + w.numel(); ++p)
        if (*p < negligible) *p = 0.0F;
    return w;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2))
        throw std::invalid_argument("k and v have the same length and heads");
    Attended a{.context = {}, .weights = masked_softmax(attention_scores(q, k), mask)};
    a.context = matmul(a.weights, v);
    return a;
}

}  // namespace headway::ex03
