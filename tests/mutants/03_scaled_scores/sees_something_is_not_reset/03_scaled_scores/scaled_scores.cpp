#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores");
    return matmul(q, k.transpose(-2, -1)) / std::sqrt(float(q.size(-1)));
}

Mask causal_mask(Index T, Index S) {
    Mask m = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) m(t, s) = s + T > t + S;
    return m;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask m = Mask::allow_all({Index(lengths.size()), 1, 1, S});
    for (Index b = 0; b < m.size(0); ++b)
        for (Index s = 0; s < S; ++s) m(b, 0, 0, s) = s >= lengths[b];
    return m;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask m = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor w = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h) {
            bool sees_something = false;
            for (Index t = 0; t < scores.size(2); ++t) {
                float top = std::numeric_limits<float>::lowest();
                for (Index s = 0; s < scores.size(3); ++s)
                    if (!m(b, h, t, s)) {
                        sees_something = true;
                        top = std::max(top, scores(b, h, t, s));
                    }
                if (!sees_something) continue;  // stays zero
                float z = 0;
                for (Index s = 0; s < scores.size(3); ++s)
                    if (!m(b, h, t, s)) z += std::exp(scores(b, h, t, s) - top);
                for (Index s = 0; s < scores.size(3); ++s)
                    w(b, h, t, s) = (m(b, h, t, s) ? 0.0f : std::exp(scores(b, h, t, s) - top)) / z;
            }
        }
    return w;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention");
    Tensor w = masked_softmax(attention_scores(q, k), mask);
    return {matmul(w, v), w};
}

}  // namespace headway::ex03
