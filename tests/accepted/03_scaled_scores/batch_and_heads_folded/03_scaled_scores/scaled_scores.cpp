#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

namespace {

template <class... Sizes>
[[noreturn]] void refuse(const char* function, const Sizes&... shapes) {
    std::string message = function;
    ((message += " " + to_string(shapes)), ...);
    throw std::invalid_argument(message);
}

/// (B, H, M, N) -> (B·H, M, N)
Tensor fold(const Tensor& x) { return x.contiguous().view({x.size(0) * x.size(1), x.size(2), x.size(3)}); }

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) refuse("attention_scores", q.shape(), k.shape());
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        refuse("attention_scores", q.shape(), k.shape());
    Tensor folded = matmul(fold(q), fold(k).transpose(1, 2));
    folded *= std::pow(static_cast<float>(q.size(3)), -0.5F);
    return folded.view({q.size(0), q.size(1), q.size(2), k.size(2)});
}

Mask causal_mask(Index T, Index S) {
    if (T < 0 || S < 0) refuse("causal_mask", Shape{T, S});
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = (s - t) > (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask result = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index s = 0; s < S; ++s)
        for (std::size_t b = 0; b < lengths.size(); ++b) result(b, 0, 0, s) = s >= lengths[b];
    return result;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) refuse("masked_softmax", scores.shape());
    if (scores.numel() == 0) return scores.clone();
    const Mask wide = mask.defined() ? mask.expand(scores.shape()).clone() : Mask::allow_all(scores.shape());
    const Tensor dense = scores.contiguous();
    Tensor weights = Tensor::zeros(scores.shape());
    const Index S = scores.size(3);
    for (Index row = 0; row < scores.numel() / S; ++row) {
        const float* x = dense.data() + row * S;
        const bool* blocked = wide.data() + row * S;
        float* w = weights.data() + row * S;
        Index best = -1;
        for (Index s = 0; s < S; ++s)
            if (!blocked[s] && (best < 0 || x[s] > x[best])) best = s;
        if (best < 0) continue;
        float total = 0;
        for (Index s = 0; s < S; ++s)
            if (!blocked[s]) total += w[s] = std::exp2((x[s] - x[best]) * 1.44269504F);
        for (Index s = 0; s < S; ++s) w[s] /= total;
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (k.rank() != 4 || v.rank() != 4) refuse("scaled_dot_product_attention", k.shape(), v.shape());
    if (k.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2))
        refuse("scaled_dot_product_attention", k.shape(), v.shape());
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    const Tensor context = matmul(fold(weights), fold(v));
    return {context.view({q.size(0), q.size(1), q.size(2), v.size(3)}), weights};
}

}  // namespace headway::ex03
