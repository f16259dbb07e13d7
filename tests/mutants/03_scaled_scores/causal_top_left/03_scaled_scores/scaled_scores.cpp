#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: the sizes do not match");
    const Index d = q.size(3);
    Tensor scores = Tensor::empty({q.size(0), q.size(1), q.size(2), k.size(2)});
    for (Index b = 0; b < q.size(0); ++b) {
        for (Index h = 0; h < q.size(1); ++h) {
            Tensor head = matmul(q[b][h], k[b][h].transpose(0, 1));
            head /= std::sqrt(static_cast<float>(d));
            scores[b][h].copy_from(head);
        }
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index query = 0; query < T; ++query)
        for (Index key = query + 1; key < S; ++key) mask(query, key) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    bool* row = mask.data();
    for (Index length : lengths) {
        std::fill(row + length, row + S, true);
        row += S;
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask full = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    std::vector<float> powers;
    for (Index b = 0; b < scores.size(0); ++b) {
        for (Index h = 0; h < scores.size(1); ++h) {
            for (Index t = 0; t < scores.size(2); ++t) {
                powers.clear();
                float top = -INFINITY;
                for (Index s = 0; s < scores.size(3); ++s)
                    if (!full(b, h, t, s)) top = std::max(top, scores(b, h, t, s));
                float total = 0.0F;
                for (Index s = 0; s < scores.size(3); ++s) {
                    powers.push_back(full(b, h, t, s) ? 0.0F : std::exp(scores(b, h, t, s) - top));
                    total += powers.back();
                }
                if (total == 0.0F) continue;
                for (Index s = 0; s < scores.size(3); ++s)
                    weights(b, h, t, s) = powers[static_cast<std::size_t>(s)] / total;
            }
        }
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: the sizes do not match");
    Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = matmul(weights, v);
    return {context, weights};
}

}  // namespace headway::ex03
