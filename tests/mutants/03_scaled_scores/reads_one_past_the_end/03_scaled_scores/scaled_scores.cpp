#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k do not belong together");
    const Index heads = q.size(0) * q.size(1), T = q.size(2), S = k.size(2), d = q.size(3);
    const Tensor queries = q.contiguous(), keys = k.contiguous();
    Tensor scores = Tensor::zeros({q.size(0), q.size(1), T, S});
    float* out = scores.data();
    const float scale = 1.0F / std::sqrt(static_cast<float>(d));
    for (Index head = 0; head < heads; ++head) {
        for (Index t = 0; t < T; ++t) {
            const float* query = queries.data() + (head * T + t) * d;
            const float* key = keys.data() + head * S * d;
            float next = *key;
            for (Index s = 0; s < S; ++s) {
                float sum = 0.0F;
                for (Index i = 0; i < d; ++i) {
                    const float now = next;
                    next = *++key;  // on its way while we multiply
                    sum += query[i] * now;
                }
                *out++ = sum * scale;
            }
        }
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t) {
        bool* row = mask.data() + t * S;
        for (Index s = 0; s < S; ++s) row[s] = s > t + S - T;
    }
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        bool* row = mask.data() + static_cast<Index>(b) * S;
        for (Index s = 0; s < S; ++s) row[s] = s >= lengths[b];
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -1e30F);
    const Tensor e = masked_fill(exp(x - max(x, -1, KeepAxis::yes)), mask, 0.0F);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v do not belong together");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
