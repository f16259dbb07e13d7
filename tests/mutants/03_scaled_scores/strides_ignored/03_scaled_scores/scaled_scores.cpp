#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: rank 4 is needed");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), D = q.size(3);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != D)
        throw std::invalid_argument("attention_scores: k must be (B, H, S, d) with the B, H, d of q");

    Tensor scores = Tensor::zeros({B, H, T, S});
    const float* Q = q.data();
    const float* K = k.data();
    float* out = scores.data();
    const float scale = 1.0F / std::sqrt(static_cast<float>(D));
    for (Index bh = 0; bh < B * H; ++bh)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < S; ++s) {
                float acc = 0.0F;
                for (Index i = 0; i < D; ++i) acc += Q[(bh * T + t) * D + i] * K[(bh * S + s) * D + i];
                out[(bh * T + t) * S + s] = acc * scale;
            }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask m = Mask::allow_all({T, S});
    bool* p = m.data();
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) p[t * S + s] = s > t + S - T;
    return m;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    Mask m = Mask::allow_all({B, 1, 1, S});
    bool* p = m.data();
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s) p[b * S + s] = s >= lengths[static_cast<std::size_t>(b)];
    return m;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask m = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), S = scores.size(3);
    Tensor w = Tensor::zeros(scores.shape());
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float top = -INFINITY, total = 0.0F;
                for (Index s = 0; s < S; ++s)
                    if (!m(b, h, t, s)) top = std::max(top, scores(b, h, t, s));
                for (Index s = 0; s < S; ++s)
                    if (!m(b, h, t, s)) total += w(b, h, t, s) = std::exp(scores(b, h, t, s) - top);
                for (Index s = 0; s < S; ++s)
                    if (!m(b, h, t, s)) w(b, h, t, s) /= total;
            }
    return w;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: v must be (B, H, S, d_v) with the B, H, S of k");
    const Tensor w = masked_softmax(attention_scores(q, k), mask);
    const Index B = v.size(0), H = v.size(1), T = w.size(2), S = v.size(2);
    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s)
                    for (Index j = 0; j < v.size(3); ++j) context(b, h, t, j) += w(b, h, t, s) * v(b, h, s, j);
    return {context, w};
}

}  // namespace headway::ex03
