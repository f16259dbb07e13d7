#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace headway::ex03 {

static void same(const Tensor& a, const Tensor& b, std::initializer_list<Index> axes) {
    if (a.rank() != 4 || b.rank() != 4) throw std::invalid_argument("both must be of rank 4");
    for (auto axis : axes)
        if (a.size(axis) != b.size(axis))
            throw std::invalid_argument("axis " + std::to_string(axis) + " differs: " + to_string(a.shape()) + " and " +
                                        to_string(b.shape()));
}

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    same(q, k, {0, 1, 3});
    const float scale = 1 / std::sqrt(std::sqrt(float(q.size(3))));
    return matmul(q * scale, (k * scale).transpose(2, 3));
}

Mask causal_mask(Index T, Index S) {
    auto future = Mask::allow_all({T, S});
    for (Index from_end = 1; from_end <= T; ++from_end)  // the last query sees all, the one before all but one, ...
        for (Index s = std::max<Index>(0, S - from_end + 1); s < S; ++s) future(T - from_end, s) = true;
    return future;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    auto padding = Mask::allow_all({std::ssize(lengths), 1, 1, S});
    auto* p = padding.data();
    for (auto length : lengths) {
        std::fill(p + std::clamp<Index>(length, 0, S), p + S, true);
        p += S;
    }
    return padding;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("scores must be of rank 4");
    // The largest score that counts: what is blocked is far below whatever is not. In a fully blocked row all
    // differences are 0, exp gives ones, and they are zeroed below.
    const Tensor low = masked_fill(scores, mask, -3e38F);
    Tensor e = exp(low - max(low, -1, KeepAxis::yes));
    e = masked_fill(e, mask, 0.0F);
    const Tensor total = sum(e, -1, KeepAxis::yes);
    Tensor inverse = Tensor::zeros(total.shape());
    for (Index i = 0; i < total.numel(); ++i)
        if (total.data()[i] > 0) inverse.data()[i] = 1 / total.data()[i];
    return e * inverse;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    same(q, k, {0, 1, 3});
    same(k, v, {0, 1, 2});
    Attended result;
    result.weights = masked_softmax(attention_scores(q, k), mask);
    result.context = matmul(result.weights, v);
    return result;
}

}  // namespace headway::ex03
