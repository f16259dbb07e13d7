#include "scaled_scores.hpp"

#include <stdexcept>

namespace headway::ex03 {

// 1 / sqrt(64), as in the paper: d_k = 64.
static constexpr float kScale = 0.125F;
static constexpr float kBlocked = -1e30F;

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: q and k must have four axes");
    const bool fits = q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(-1) == k.size(-1);
    if (!fits) throw std::invalid_argument("attention_scores: q and k differ in batch, heads or width");
    return kScale * matmul(q, k.transpose(-1, -2));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S && s <= t + (S - T); ++s) mask(t, s) = false;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        if (lengths[b] < 0 || lengths[b] > S) throw std::invalid_argument("padding_mask: a length is not in [0, S]");
        for (Index s = lengths[b]; s < S; ++s) mask(b, 0, 0, s) = true;
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    Tensor x = masked_fill(scores, mask, kBlocked);
    x -= max(x, -1, KeepAxis::yes);
    Tensor e = masked_fill(exp(x), mask, 0.0F);
    Tensor z = sum(e, -1, KeepAxis::yes);
    // rows without keys have e = 0 everywhere: 0 / 1 instead of 0 / 0
    float* first = z.data();
    for (Index i = 0; i < z.numel(); ++i)
        if (first[i] == 0.0F) first[i] = 1.0F;
    e /= z;
    return e;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v differ in batch, heads or length");
    Attended out;
    out.weights = masked_softmax(attention_scores(q, k), mask);
    out.context = matmul(out.weights, v);
    return out;
}

}  // namespace headway::ex03
