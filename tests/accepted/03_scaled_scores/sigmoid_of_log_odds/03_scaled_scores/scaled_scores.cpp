#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k");
    Tensor scores = Tensor::zeros({q.size(0), q.size(1), q.size(2), k.size(2)});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            for (Index t = 0; t < q.size(2); ++t)
                for (Index s = 0; s < k.size(2); ++s) {
                    double dot = 0.0;  // by polarisation
                    for (Index i = 0; i < q.size(3); ++i) {
                        const double a = q(b, h, t, i), c = k(b, h, s, i);
                        dot += ((a + c) * (a + c) - (a - c) * (a - c)) / 4;
                    }
                    scores(b, h, t, s) = static_cast<float>(dot / std::sqrt(static_cast<double>(q.size(3))));
                }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = !(s - S <= t - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = lengths[b]; s < S; ++s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask blocked = Mask::allow_all(scores.shape()) | (mask.defined() ? mask.expand(scores.shape()) : mask);
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t)
                for (Index s = 0; s < scores.size(3); ++s) {
                    if (blocked(b, h, t, s)) continue;
                    double odds_against = 0.0;  // what overflows here is a weight of 1 / inf = 0
                    for (Index other = 0; other < scores.size(3); ++other)
                        if (!blocked(b, h, t, other))
                            odds_against += std::exp(static_cast<double>(scores(b, h, t, other)) -
                                                     static_cast<double>(scores(b, h, t, s)));
                    weights(b, h, t, s) = static_cast<float>(1.0 / odds_against);
                }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.rank() != 4 || k.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
