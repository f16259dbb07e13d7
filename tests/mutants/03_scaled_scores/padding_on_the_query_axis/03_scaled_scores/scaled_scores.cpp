#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores");
    const float scale = 1 / std::sqrt(static_cast<float>(q.size(3)));
    Tensor scores = Tensor::zeros({q.size(0), q.size(1), q.size(2), k.size(2)});
    for (Index i = 0; i < q.size(3); ++i) {
        // sum of outer products: column i of q times column i of k
        Tensor qi = q.slice(3, i, i + 1);                  // (B, H, T, 1)
        Tensor ki = k.slice(3, i, i + 1).transpose(2, 3);  // (B, H, 1, S)
        scores += qi * ki;
    }
    return scores * scale;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + S - T;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, S, 1});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, s, 0) = s >= lengths[static_cast<std::size_t>(b)];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -1e30F);
    const Tensor e = masked_fill(exp(x - max(x, -1, KeepAxis::yes)), mask, 0);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
    for (Index s = 0; s < v.size(2); ++s) context += weights.slice(3, s, s + 1) * v.slice(2, s, s + 1);
    return {context, weights};
}

}  // namespace headway::ex03
