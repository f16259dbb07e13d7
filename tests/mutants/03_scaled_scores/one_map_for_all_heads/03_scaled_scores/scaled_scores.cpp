#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: rank 4 is needed");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3);
    if (k.size(0) != B) throw std::invalid_argument("batch of q and k differs");
    if (k.size(1) != H) throw std::invalid_argument("heads of q and k differ");
    if (k.size(3) != d) throw std::invalid_argument("width of q and k differs");

    Tensor scores = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; b++) {
        Tensor map = Tensor::zeros({T, S});
        for (Index h = 0; h < H; h++) map += matmul(q[b][h], k[b][h].transpose(0, 1));
        map /= std::sqrt(static_cast<float>(d));
        scores[b].copy_from(map);  // broadcasts over the heads
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; t++)
        for (Index s = 0; s < S; s++) mask(t, s) = (s > t + S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (size_t b = 0; b < lengths.size(); b++)
        for (Index s = 0; s < S; s++) mask(b, 0, 0, s) = (s >= lengths[b]);
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -1e33F);
    const Tensor e = masked_fill(exp(x - max(x, -1, KeepAxis::yes)), mask, 0.F);
    const Tensor z = sum(e, -1, KeepAxis::yes);
    return e / (z + 1e-33F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4) throw std::invalid_argument("v must be (B, H, S, d_v)");
    if (v.size(0) != k.size(0)) throw std::invalid_argument("batch of k and v differs");
    if (v.size(1) != k.size(1)) throw std::invalid_argument("heads of k and v differ");
    if (v.size(2) != k.size(2)) throw std::invalid_argument("length of k and v differs");
    Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
