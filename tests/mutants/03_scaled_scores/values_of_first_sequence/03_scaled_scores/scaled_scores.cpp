#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {
namespace {

bool agree(const Tensor& a, const Tensor& b, std::initializer_list<std::size_t> axes) {
    if (a.rank() != 4 || b.rank() != 4) return false;
    for (const std::size_t axis : axes)
        if (a.shape()[axis] != b.shape()[axis]) return false;
    return true;
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (!agree(q, k, {0, 1, 3})) throw std::invalid_argument("attention_scores: q and k do not agree");
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(q.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -1e30F);
    const Tensor e = masked_fill(exp(x - max(x, -1, KeepAxis::yes)), mask, 0.0F);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (!agree(k, v, {0, 1, 2})) throw std::invalid_argument("scaled_dot_product_attention: k and v do not agree");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask).contiguous();
    const Tensor values = v.contiguous();
    const Index B = v.size(0), H = v.size(1), T = q.size(2), S = v.size(2), n = v.size(3);
    Tensor context = Tensor::zeros({B, H, T, n});
    for (Index b = 0; b < B; ++b) {
        const float* value = values.data();
        for (Index h = 0; h < H; ++h, value += S * n) {
            const float* w = weights.data() + (b * H + h) * T * S;
            float* out = context.data() + (b * H + h) * T * n;
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s)
                    for (Index j = 0; j < n; ++j) out[t * n + j] += w[t * S + s] * value[s * n + j];
        }
    }
    return {context, weights};
}

}  // namespace headway::ex03
