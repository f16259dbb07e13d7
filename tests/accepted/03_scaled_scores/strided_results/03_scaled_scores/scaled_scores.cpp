#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: (B, H, T, d) and (B, H, S, d)");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: B, H or d differ");
    Tensor by_key = matmul(k, q.transpose(2, 3));  // (B, H, S, T)
    by_key /= std::sqrt(static_cast<float>(q.size(3)));
    return by_key.transpose(2, 3);
}

Mask causal_mask(Index T, Index S) {
    // Toeplitz: row t + 1 is row t moved by one, so all rows are windows of one line
    if (T == 0 || S == 0) return Mask::allow_all({T, S});
    Mask line = Mask::allow_all({T + S - 1});
    for (Index i = 0; i < T + S - 1; ++i) line(i) = i > S - 1;  // line(i) = is key i - (T - 1) + t ahead of query t?
    // element [t, s] is line[(T - 1 - t) + s]; strides cannot be negative, so the rows are copied
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = line(T - 1 - t + s);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    // (S, B) in memory, seen as (B, 1, 1, S)
    Mask by_key = Mask::allow_all({S, B});
    for (Index s = 0; s < S; ++s)
        for (Index b = 0; b < B; ++b) by_key(s, b) = s >= lengths[b];
    return by_key.as_strided({B, 1, 1, S}, {1, 1, 1, B}, 0);
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("masked_softmax: (B, H, T, S)");
    const Tensor filled = masked_fill(scores, mask, -INFINITY);
    // a column of zeros in front stands for a key of its own: it keeps the maximum finite and is cut off at the end
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), S = scores.size(3);
    Tensor wide = Tensor::zeros({B, H, T, S + 1});
    Tensor inside = wide.slice(3, 1, S + 1);
    Tensor top = max(filled, 3, KeepAxis::yes);
    for (Index i = 0; i < top.numel(); ++i)
        if (std::isinf(top.data()[i])) top.data()[i] = 0;
    inside.copy_from(exp(filled - top));
    Tensor total = sum(inside, 3, KeepAxis::yes);
    for (Index i = 0; i < total.numel(); ++i)
        if (total.data()[i] == 0) total.data()[i] = 1;
    inside /= total;
    return inside;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention: rank 4");
    if (v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("attention: k and v differ in B, H or S");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    const Index S = weights.size(3), d_v = v.size(3);
    Tensor both = Tensor::empty({q.size(0), q.size(1), q.size(2), d_v + S});
    Attended views{both.slice(3, 0, d_v), both.slice(3, d_v, d_v + S)};
    views.context.copy_from(matmul(weights, v));
    views.weights.copy_from(weights);
    return views;
}

}  // namespace headway::ex03
