#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: sizes of q and k differ");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3);

    // tokens outermost, so that the heads of one token lie side by side
    const Tensor q_tokens = q.transpose(1, 2).contiguous();  // (B, T, H, d)
    const Tensor k_tokens = k.transpose(1, 2).contiguous();  // (B, S, H, d)
    const Index token_stride = H * d;
    const Index q_batch_stride = token_stride;
    const Index k_batch_stride = S * token_stride;

    Tensor scores = Tensor::zeros({B, H, T, S});
    const float root = std::sqrt(static_cast<float>(d));
    for (Index b = 0; b < B; ++b) {
        for (Index t = 0; t < T; ++t) {
            const float* query = q_tokens.data() + b * q_batch_stride + t * token_stride;
            for (Index s = 0; s < S; ++s) {
                const float* key = k_tokens.data() + b * k_batch_stride + s * token_stride;
                for (Index h = 0; h < H; ++h) {
                    for (Index i = 0; i < d; ++i) scores(b, h, t, s) += query[h * d + i] * key[h * d + i] / root;
                }
            }
        }
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = S - 1; s >= 0 && s > t + S - T; --s) mask(t, s) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = S - 1; s >= lengths[b]; --s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor low = masked_fill(scores, mask, -1e30F);
    const Tensor e = masked_fill(exp(low - max(low, 3, KeepAxis::yes)), mask, 0);
    return e / (sum(e, 3, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: sizes of k and v differ");
    const Tensor w = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::zeros({v.size(0), v.size(1), q.size(2), v.size(3)});
    for (Index b = 0; b < v.size(0); ++b)
        for (Index h = 0; h < v.size(1); ++h) context[b][h].copy_from(matmul(w[b][h], v[b][h]));
    return {context, w};
}

}  // namespace headway::ex03
