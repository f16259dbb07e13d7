#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(-1) != k.size(-1))
        throw std::invalid_argument("attention_scores: cannot compare " + to_string(q.shape()) + " with " +
                                    to_string(k.shape()));
    const float d_k = static_cast<float>(q.size(-1));
    return matmul(q, k.transpose(-2, -1)) / std::sqrt(d_k);
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index i = 0; i < T; ++i)
        for (Index j = i + 1 + S - T; j < S; ++j)
            if (j >= 0) mask(i, j) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index j = lengths[b]; j < S; ++j) mask(b, 0, 0, j) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -1e9F);
    const Tensor p = exp(x - max(x, -1, KeepAxis::yes));
    return p / sum(p, -1, KeepAxis::yes);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: a value for each key, please");
    const Tensor p_attn = masked_softmax(attention_scores(q, k), mask);
    return {matmul(p_attn, v), p_attn};
}

}  // namespace headway::ex03
