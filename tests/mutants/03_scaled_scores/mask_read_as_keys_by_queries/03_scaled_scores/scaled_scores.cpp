#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q is " + to_string(q.shape()) + " but k is " +
                                    to_string(k.shape()));
    return matmul(q, k.transpose(-1, -2)) * (1 / std::sqrt(static_cast<float>(q.size(3))));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    bool* out = mask.data();
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) *out++ = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    bool* out = mask.data();
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) *out++ = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Index T = scores.size(2), S = scores.size(3);
    const Tensor in = scores.contiguous();
    Tensor out = Tensor::zeros(scores.shape());
    Mask full;
    if (mask.defined()) full = mask.expand(scores.shape()).clone();

    for (Index head = 0; head < scores.size(0) * scores.size(1); ++head) {
        const float* x = in.data() + head * T * S;
        float* w = out.data() + head * T * S;
        const bool* m = full.defined() ? full.data() + head * T * S : nullptr;
        for (Index t = 0; t < T; ++t) {
            auto blocked = [&](Index s) { return m != nullptr && m[s * T + t]; };
            float top = -INFINITY;
            for (Index s = 0; s < S; ++s)
                if (!blocked(s)) top = std::max(top, x[t * S + s]);
            float total = 0;
            for (Index s = 0; s < S; ++s)
                if (!blocked(s)) total += w[t * S + s] = std::exp(x[t * S + s] - top);
            for (Index s = 0; s < S; ++s)
                if (!blocked(s)) w[t * S + s] /= total;
        }
    }
    return out;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k is " + to_string(k.shape()) + " but v is " +
                                    to_string(v.shape()));
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
