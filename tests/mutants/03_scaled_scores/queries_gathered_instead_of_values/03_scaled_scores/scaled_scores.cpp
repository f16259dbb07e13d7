#include "scaled_scores.hpp"

#include <stdexcept>

namespace headway::ex03 {

using ops::masked_fill;
using ops::matmul;

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || q.rank() != k.rank()) throw std::invalid_argument("attention_scores: rank 4");
    if (Shape{q.size(0), q.size(1), q.size(3)} != Shape{k.size(0), k.size(1), k.size(3)})
        throw std::invalid_argument("attention_scores: (B, H, d) of q and k");
    const float scale = std::sqrt(static_cast<float>(q.size(-1)));
    return matmul(q, k.transpose(-2, -1)) / scale;
}

Mask causal_mask(Index T, Index S) {
    Mask hidden = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S && s - t <= S - T; ++s) hidden(t, s) = false;
    return hidden;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask hidden = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index s = 0; s < S; ++s)
        for (Index b = 0; b < hidden.size(0); ++b) hidden(b, 0, 0, s) = lengths.at(static_cast<std::size_t>(b)) <= s;
    return hidden;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    Tensor x = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    Tensor top = ops::max(x, 3, KeepAxis::yes);
    for (Index r = 0; r < top.numel(); ++r)
        if (!std::isfinite(top.data()[r])) top.data()[r] = 0;
    x = ops::exp(x - top);
    Tensor total = ops::sum(x, 3, KeepAxis::yes);
    for (Index r = 0; r < total.numel(); ++r)
        if (total.data()[r] == 0) total.data()[r] = 1;
    return x / total;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.rank() != 4 ||
        Shape{v.size(0), v.size(1), v.size(2)} != Shape{k.size(0), k.size(1), k.size(2)})
        throw std::invalid_argument("scaled_dot_product_attention: (B, H, S) of k and v");
    Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = matmul(weights, q);
    return {context, weights};
}

}  // namespace headway::ex03
