#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q " + to_string(q.shape()) + ", k " + to_string(k.shape()));
    // No need to take the root again for every call.
    static const float inverse_root = 1.0F / std::sqrt(static_cast<float>(q.size(3)));
    return matmul(q, k.transpose(2, 3)) * inverse_root;
}

Mask causal_mask(Index T, Index S) {
    Mask result = Mask::allow_all({T, S});
    Index visible = S - T + 1;  // by the first query
    for (Index t = 0; t < T; ++t, ++visible)
        for (Index s = 0; s < S; ++s) result(t, s) = s >= visible;
    return result;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask result = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    auto row = result.data();
    for (auto length : lengths) {
        for (Index s = 0; s < S; ++s) row[s] = s >= length;
        row += S;
    }
    return result;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    Tensor logits = masked_fill(scores, mask, -1e30F);
    logits -= max(logits, -1, KeepAxis::yes);
    const Tensor unnormalised = masked_fill(exp(logits), mask, 0.0F);
    return unnormalised / (sum(unnormalised, -1, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: v " + to_string(v.shape()));
    const Tensor scores = attention_scores(q, k);
    const Tensor weights = masked_softmax(scores, mask);
    const Tensor context = matmul(weights, v);
    return {context, weights};
}

}  // namespace headway::ex03
