#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("wrong shapes: " + to_string(q.shape()) + ", " + to_string(k.shape()));
    // both are scaled a little, so that the product does not grow first
    const float root_of_root = std::sqrt(std::sqrt(static_cast<float>(q.size(3))));
    return matmul(q / root_of_root, (k / root_of_root).transpose(2, 3));
}

/// Like torch.triu(ones(T, S), diagonal).
static Mask upper_triangle(Index T, Index S, Index diagonal) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s - t >= diagonal;
    return mask;
}

Mask causal_mask(Index T, Index S) { return upper_triangle(T, S, S - T + 2); }

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::block_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < lengths[b]; ++s) mask(b, 0, 0, s) = false;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -1e30F);
    const Tensor biggest = max(x, -1, KeepAxis::yes);
    const Tensor powers = masked_fill(exp(x - biggest), mask, 0.0F);
    const Tensor total = sum(powers, -1, KeepAxis::yes);
    return powers / (total + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2))
        throw std::invalid_argument("wrong shapes: " + to_string(k.shape()) + ", " + to_string(v.shape()));
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {.context = matmul(weights, v), .weights = weights};
}

}  // namespace headway::ex03
