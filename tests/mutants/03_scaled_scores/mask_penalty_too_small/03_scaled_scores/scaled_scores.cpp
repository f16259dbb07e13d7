#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {
namespace {

/// What is added to the scores: 0 for open keys, a large negative number for blocked ones.
Tensor attention_bias(const Mask& mask, const Shape& shape) { return masked_fill(Tensor::zeros(shape), mask, -10.0F); }

/// 1 for rows with at least one open key, else 0.   (B, H, T, 1)
Tensor has_open_key(const Mask& mask, const Shape& shape) {
    return max(masked_fill(Tensor::ones(shape), mask, 0.0F), -1, KeepAxis::yes);
}

void require_equal(Index a, Index b, const char* what) {
    if (a != b) throw std::invalid_argument(std::string(what) + " must be equal");
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: q and k must have four axes");
    require_equal(q.size(0), k.size(0), "batch sizes");
    require_equal(q.size(1), k.size(1), "numbers of heads");
    require_equal(q.size(3), k.size(3), "widths");
    const Tensor dots = matmul(q, k.transpose(2, 3));
    return dots / std::sqrt(static_cast<float>(q.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    const Index shift = S - T;
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + shift;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[static_cast<std::size_t>(b)];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor biased = scores + attention_bias(mask, scores.shape());
    const Tensor e = exp(biased - max(biased, -1, KeepAxis::yes));
    return e / sum(e, -1, KeepAxis::yes) * has_open_key(mask, scores.shape());
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4) throw std::invalid_argument("v must be (B, H, S, d_v)");
    require_equal(k.size(0), v.size(0), "batch sizes");
    require_equal(k.size(1), v.size(1), "numbers of heads");
    require_equal(k.size(2), v.size(2), "lengths");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
