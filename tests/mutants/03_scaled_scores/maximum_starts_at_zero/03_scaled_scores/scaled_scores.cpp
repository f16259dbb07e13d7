#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("q and k: (B, H, length, d)");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    if (B != k.size(0) || H != k.size(1) || d != k.size(3)) throw std::invalid_argument("q and k: B, H, d");
    Tensor scores = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; b++)
        for (Index h = 0; h < H; h++)
            for (Index t = 0; t < T; t++)
                for (Index s = 0; s < S; s++) {
                    float x = 0;
                    for (Index i = 0; i < d; i++) x += q(b, h, t, i) * k(b, h, s, i);
                    scores(b, h, t, s) = x / sqrtf(static_cast<float>(d));
                }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; t++)
        for (Index s = 0; s < S; s++) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); b++)
        for (Index s = 0; s < S; s++) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask no = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor w = Tensor::zeros(scores.shape());
    for (Index b = 0; b < w.size(0); b++)
        for (Index h = 0; h < w.size(1); h++)
            for (Index t = 0; t < w.size(2); t++) {
                float top = 0, total = 0;
                for (Index s = 0; s < w.size(3); s++)
                    if (!no(b, h, t, s) && scores(b, h, t, s) > top) top = scores(b, h, t, s);
                for (Index s = 0; s < w.size(3); s++)
                    if (!no(b, h, t, s)) {
                        w(b, h, t, s) = std::exp(scores(b, h, t, s) - top);
                        total += w(b, h, t, s);
                    }
                if (total > 0)
                    for (Index s = 0; s < w.size(3); s++) w(b, h, t, s) /= total;
            }
    return w;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4) throw std::invalid_argument("v must be (B, H, S, d_v)");
    const Index B = v.size(0), H = v.size(1), S = v.size(2), n = v.size(3), T = q.size(2);
    if (B != k.size(0) || H != k.size(1) || S != k.size(2)) throw std::invalid_argument("k and v: B, H, S");
    Tensor w = masked_softmax(attention_scores(q, k), mask);
    Tensor c = Tensor::zeros({B, H, T, n});
    for (Index b = 0; b < B; b++)
        for (Index h = 0; h < H; h++)
            for (Index t = 0; t < T; t++)
                for (Index j = 0; j < n; j++)
                    for (Index s = 0; s < S; s++) c(b, h, t, j) += w(b, h, t, s) * v(b, h, s, j);
    return {c, w};
}

}  // namespace headway::ex03
