#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k must agree in all but their length");
    const Tensor scaled_k = k * (1.0F / std::sqrt(static_cast<float>(k.size(3))));
    return matmul(q, scaled_k.transpose(-1, -2));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t) {
        for (Index s = 0; s < S; ++s) {
            // distance from the end: query T-1 is level with key S-1
            if ((S - 1 - s) < (T - 1 - t)) mask(t, s) = true;
        }
    }
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        for (Index s = 0; s < S; ++s) {
            if (s > lengths[b]) mask(b, 0, 0, s) = true;
        }
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("masked_softmax: scores must be (B, H, T, S)");
    const Tensor numerator = [&] {
        const Tensor open = masked_fill(scores, mask, -1e30F);
        return masked_fill(exp(open - max(open, -1, KeepAxis::yes)), mask, 0.0F);
    }();
    const Tensor denominator = sum(numerator, -1, KeepAxis::yes);
    Tensor safe = denominator.contiguous().clone();
    for (Index i = 0; i < safe.numel(); ++i)
        if (safe.data()[i] == 0.0F) safe.data()[i] = 1.0F;
    return numerator / safe;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v must agree in all but their width");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return Attended{matmul(weights, v), weights};
}

}  // namespace headway::ex03
