#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: q and k must be of rank 4");
    if (!(q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(3) == k.size(3)))
        throw std::invalid_argument("attention_scores: " + to_string(q.shape()) + " x " + to_string(k.shape()));
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(k.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s + T > t + S;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    // One row, then the same for the whole batch.
    Mask row = Mask::allow_all({1, 1, 1, S});
    if (!lengths.empty())
        for (Index s = lengths.front(); s < S; ++s) row(0, 0, 0, s) = true;
    return row.expand({static_cast<Index>(lengths.size()), 1, 1, S}).clone();
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask m = mask.defined() ? mask.expand(scores.shape()).clone() : Mask::allow_all(scores.shape());
    Tensor out = scores.contiguous().clone();
    const Index S = scores.size(-1);
    const Index rows = scores.size(0) * scores.size(1) * scores.size(2);
    for (Index r = 0; r < rows; ++r) {
        float* x = out.data() + r * S;
        const bool* blocked = m.data() + r * S;
        // online softmax: maximum and sum in one pass
        float top = -INFINITY, total = 0.0F;
        for (Index s = 0; s < S; ++s) {
            if (blocked[s]) continue;
            const float new_top = std::max(top, x[s]);
            total = total * std::exp(top - new_top) + std::exp(x[s] - new_top);
            top = new_top;
        }
        for (Index s = 0; s < S; ++s) x[s] = blocked[s] ? 0.0F : std::exp(x[s] - top) / total;
    }
    return out;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4) throw std::invalid_argument("v must be (B, H, S, d_v)");
    if (!(v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2)))
        throw std::invalid_argument("scaled_dot_product_attention: " + to_string(v.shape()));
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
