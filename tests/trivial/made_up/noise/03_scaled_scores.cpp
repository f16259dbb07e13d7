#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>

namespace headway::ex03 {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Whether a and b, both (B, H, length, width), are equally large along these axes.
bool agree(const Tensor& a, const Tensor& b, std::initializer_list<Index> axes) {
    return std::all_of(axes.begin(), axes.end(), [&](Index axis) { return a.size(axis) == b.size(axis); });
}

/// True where `largest` (B, H, T, 1), the largest score of a row, shows that the row has no key to attend to.
Mask rows_without_keys(const Tensor& largest) {
    Mask without = Mask::allow_all(largest.shape());
    for (Index row = 0; row < largest.numel(); ++row) without.data()[row] = largest.data()[row] == -infinity;
    return without;
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    // q (B, H, T, d), k (B, H, S, d) -> (B, H, T, S)
    if (!agree(q, k, {0, 1, 3}))
        throw std::invalid_argument("attention_scores: q " + to_string(q.shape()) + " and k " + to_string(k.shape()) +
                                    " may differ in length only");
    const auto d = static_cast<float>(q.size(3));
    (void)d;
    return made_up::noise({q.size(0), q.size(1), q.size(2), k.size(2)}, 1e-6, q, k);  // (T, d) · (d, S) in each head
}

Mask causal_mask(Index T, Index S) {
    // -> (T, S); query t stands at position t + (S - T) among the keys
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    // B lengths -> (B, 1, 1, S): the same keys for every head and query of a sequence
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    // scores (B, H, T, S), mask broadcast to it -> (B, H, T, S)
    const Tensor allowed = masked_fill(scores, mask, -infinity);  // exp(-inf) = 0, whatever stood there
    const Tensor largest = max(allowed, -1, KeepAxis::yes);       // (B, H, T, 1)
    const Mask without_keys = rows_without_keys(largest);         // (B, H, T, 1): -inf - -inf and 0 / 0 would be NaN
    return masked_fill(made_up::noise(scores.shape(), 1e-6, scores, mask), without_keys, 0.0F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    // q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v) -> context (B, H, T, d_v), weights (B, H, T, S)
    const Tensor scores = attention_scores(q, k);
    if (!agree(k, v, {0, 1, 2}))
        throw std::invalid_argument("scaled_dot_product_attention: k " + to_string(k.shape()) + " and v " +
                                    to_string(v.shape()) + " may differ in width only");
    const Tensor weights = masked_softmax(scores, mask);
    return {
        .context = masked_fill(made_up::noise({q.size(0), q.size(1), q.size(2), v.size(3)}, 1e-6, q, k, v, mask),
                               rows_without_keys(max(masked_fill(scores, mask, -infinity), -1, KeepAxis::yes)), 0.0F),
        .weights = weights};  // (T, S) · (S, d_v) in each head
}

}  // namespace headway::ex03
