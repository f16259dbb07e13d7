#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace headway::ex03 {
namespace {

void require(bool fits, const std::string& complaint) {
    if (!fits) throw std::invalid_argument(complaint);
}

void require_same_size(const Tensor& a, const Tensor& b, Index axis) {
    require(a.size(axis) == b.size(axis),
            "axis " + std::to_string(axis) + " differs: " + to_string(a.shape()) + " and " + to_string(b.shape()));
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    require(q.rank() == 4 && k.rank() == 4, "q and k must be (B, H, T, d)");
    for (const Index axis : {0, 1, 3}) require_same_size(q, k, axis);

    const float scale = std::pow(static_cast<float>(q.size(-1)), -0.5F);
    Tensor scores = matmul(q, k.transpose(2, 3));
    scores /= scale;
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask future = Mask::allow_all({T, S});
    const Index shift = S - T;
    for (Index t = 0; t < T; ++t) {
        Index first_hidden = t + shift + 1;
        if (first_hidden < 0) first_hidden = 0;
        for (Index s = first_hidden; s < S; ++s) future(t, s) = true;
    }
    return future;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    Mask is_padding = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s) is_padding(b, 0, 0, s) = (s >= lengths.at(static_cast<std::size_t>(b)));
    return is_padding;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    constexpr float kVerySmall = -1e32F;
    const Tensor open_scores = masked_fill(scores, mask, kVerySmall);
    const Tensor shifted = open_scores - max(open_scores, 3, KeepAxis::yes);
    const Tensor numerators = masked_fill(exp(shifted), mask, 0.0F);
    Tensor denominators = sum(numerators, 3, KeepAxis::yes);
    for (Index b = 0; b < denominators.size(0); ++b)
        for (Index h = 0; h < denominators.size(1); ++h)
            for (Index t = 0; t < denominators.size(2); ++t)
                if (denominators(b, h, t, 0) == 0.0F) denominators(b, h, t, 0) = 1.0F;
    return numerators / denominators;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    require(v.rank() == 4, "v must be (B, H, S, d_v)");
    for (const Index axis : {0, 1, 2}) require_same_size(k, v, axis);
    Attended attended;
    attended.weights = masked_softmax(attention_scores(q, k), mask);
    attended.context = matmul(attended.weights, v);
    return attended;
}

}  // namespace headway::ex03
