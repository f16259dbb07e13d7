#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: (B, H, length, d) is needed");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k must agree in B, H and d");
    const float norm = static_cast<float>(1.0 / std::sqrt(static_cast<double>(q.size(3))));
    return matmul(q, k.transpose(2, 3)) * norm;
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
    const Tensor p = masked_fill(exp(x - max(x, -1, KeepAxis::yes)), mask, 0.0F);
    Tensor z = sum(p, -1, KeepAxis::yes).clone();
    for (Index i = 0; i < z.numel(); ++i) {
        float& total = z.data()[i];
        if (total < 0.5F) total = 1.0F;
    }
    return p / z;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v must agree in B, H and S");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    const Tensor context = matmul(weights, v);
    // one map for each sequence is what one wants to look at
    const Tensor average = mean(weights, 1, KeepAxis::yes).expand(weights.shape());
    return {context, average.contiguous()};
}

}  // namespace headway::ex03
