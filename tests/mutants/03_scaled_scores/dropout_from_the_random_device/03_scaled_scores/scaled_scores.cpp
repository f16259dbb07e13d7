#include "scaled_scores.hpp"

#include <cmath>
#include <random>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("rank 4 wanted");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("q and k do not match");
    Tensor s = matmul(q, k.transpose(2, 3));
    return s * (1.0F / std::sqrt(static_cast<float>(q.size(3))));
}

Mask causal_mask(Index T, Index S) {
    Mask m = Mask::allow_all({T, S});
    for (Index t = 0; t < T; t++)
        for (Index s = 0; s < S; s++)
            if (s - t > S - T) m(t, s) = true;
    return m;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Index B = static_cast<Index>(lengths.size());
    Mask m = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; b++)
        for (Index s = lengths[b]; s < S; s++) m(b, 0, 0, s) = true;
    return m;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    Tensor x = masked_fill(scores, mask, -1e30F);
    Tensor e = masked_fill(exp(x - max(x, -1, KeepAxis::yes)), mask, 0.0F);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("k and v do not match");
    Tensor weights = masked_softmax(attention_scores(q, k), mask);
    std::random_device chance;
    std::bernoulli_distribution drop(0.1);
    Tensor kept = weights.clone();
    for (Index i = 0; i < kept.numel(); i++) kept.data()[i] = drop(chance) ? 0.0F : kept.data()[i] / 0.9F;
    return {matmul(kept, v), weights};
}

}  // namespace headway::ex03
