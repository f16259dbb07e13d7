#include "scaled_scores.hpp"

#include "masks.h"
#include "row_softmax.hpp"

#include <cmath>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    attention::require_rank_4(q, "q");
    attention::require_rank_4(k, "k");
    attention::require_same(q, k, {0, 1, 3});
    return matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<float>(q.size(-1)));
}

Mask causal_mask(Index T, Index S) { return attention::future(T, S); }

Mask padding_mask(const std::vector<Index>& lengths, Index S) { return attention::padding(lengths, S); }

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    attention::require_rank_4(scores, "scores");
    const Mask blocked = attention::as_wide_as(scores.shape(), mask);
    Tensor weights = Tensor::empty(scores.shape());
    attention::RowSoftmax row(scores.size(3));
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) {
                row.clear();
                for (Index s = 0; s < scores.size(3); ++s)
                    if (!blocked(b, h, t, s)) row.admit(s, scores(b, h, t, s));
                row.write(weights[b][h][t]);
            }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    attention::require_rank_4(k, "k");
    attention::require_rank_4(v, "v");
    attention::require_same(k, v, {0, 1, 2});
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
