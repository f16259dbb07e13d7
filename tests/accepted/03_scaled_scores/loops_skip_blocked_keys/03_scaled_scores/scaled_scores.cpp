#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

static void need(bool fits, const char* message) {
    if (!fits) throw std::invalid_argument(message);
}

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    need(q.rank() == 4 && k.rank() == 4, "q and k must have four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    need(k.size(0) == B && k.size(1) == H && k.size(3) == d, "q and k must agree in B, H and head_dim");
    Tensor scores = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) {
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += q(b, h, t, i) * k(b, h, s, i);
                    scores(b, h, t, s) = dot / std::sqrt(static_cast<float>(d));
                }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s)
            if (s > t + (S - T)) mask(t, s) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = lengths[b]; s < S; ++s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    need(scores.rank() == 4, "scores must be (B, H, T, S)");
    const Mask blocked = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), S = scores.size(3);
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                bool any = false;
                float biggest = 0;
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    if (!any || scores(b, h, t, s) > biggest) biggest = scores(b, h, t, s);
                    any = true;
                }
                if (!any) continue;  // the row stays zero
                float total = 0;
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    weights(b, h, t, s) = std::exp(scores(b, h, t, s) - biggest);
                    total += weights(b, h, t, s);
                }
                for (Index s = 0; s < S; ++s) weights(b, h, t, s) /= total;
            }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    need(v.rank() == 4, "v must have four axes");
    need(v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2), "v must fit k");
    Tensor context = Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
    for (Index b = 0; b < context.size(0); ++b)
        for (Index h = 0; h < context.size(1); ++h)
            for (Index t = 0; t < context.size(2); ++t)
                for (Index s = 0; s < k.size(2); ++s)
                    for (Index i = 0; i < v.size(3); ++i) context(b, h, t, i) += weights(b, h, t, s) * v(b, h, s, i);
    return {context, weights};
}

}  // namespace headway::ex03
