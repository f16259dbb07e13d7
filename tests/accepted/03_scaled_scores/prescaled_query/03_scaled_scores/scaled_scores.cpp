#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();
}

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: rank 4");
    for (Index axis : {0, 1, 3})
        if (q.size(axis) != k.size(axis)) throw std::invalid_argument("attention_scores: q and k do not fit");
    const Tensor scaled = q / std::sqrt(static_cast<float>(q.size(-1)));
    return matmul(scaled, k.transpose(-2, -1));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s <= t + S - T; ++s) mask(t, s) = false;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("masked_softmax: rank 4");
    const Tensor filled = masked_fill(scores, mask, -kInfinity);
    Tensor top = max(filled, -1, KeepAxis::yes);
    float* p = top.data();
    for (Index i = 0; i < top.numel(); ++i)
        if (p[i] == -kInfinity) p[i] = 0;  // else -inf - -inf = NaN
    const Tensor e = exp(filled - top);
    Tensor total = sum(e, -1, KeepAxis::yes);
    p = total.data();
    for (Index i = 0; i < total.numel(); ++i)
        if (p[i] == 0) p[i] = 1;  // else 0 / 0 = NaN
    return e / total;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.rank() != 4) throw std::invalid_argument("scaled_dot_product_attention: rank 4");
    for (Index axis : {0, 1, 2})
        if (v.size(axis) != k.size(axis)) throw std::invalid_argument("scaled_dot_product_attention: k and v");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {.context = matmul(weights, v), .weights = weights};
}

}  // namespace headway::ex03
