#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: cannot compare q with k");
    const Index d = q.size(3);
    Tensor out = Tensor::zeros({q.size(0), q.size(1), q.size(2), k.size(2)});
    for (Index b = 0; b < out.size(0); ++b)
        for (Index h = 0; h < out.size(1); ++h)
            for (Index i = 0; i < out.size(2); ++i)
                for (Index j = 0; j < out.size(3); ++j) {
                    for (Index f = 0; f < d; ++f) out(b, h, i, j) += q(b, h, i, f) * k(b, h, j, f);
                    out(b, h, i, j) /= std::sqrt(static_cast<float>(d));
                }
    return out;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index i = 0; i < T; ++i)
        for (Index j = 0; j < S; ++j) mask(i, j) = j + T > i + S;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t i = 0; i < lengths.size(); ++i)
        for (Index j = 0; j < S; ++j) mask(i, 0, 0, j) = j >= lengths[i];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask m = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all({1, 1, 1, 1}).expand(scores.shape());
    const bool masked = mask.defined();
    Tensor p = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index i = 0; i < scores.size(2); ++i) {
                std::vector<Index> visible;
                for (Index j = 0; j < scores.size(3); ++j)
                    if (!masked || !m(b, h, j, i)) visible.push_back(j);
                if (visible.empty()) continue;
                float highest = scores(b, h, i, visible.front());
                for (Index j : visible) highest = std::max(highest, scores(b, h, i, j));
                float total = 0.0F;
                for (Index j : visible) total += std::exp(scores(b, h, i, j) - highest);
                for (Index j : visible) p(b, h, i, j) = std::exp(scores(b, h, i, j) - highest) / total;
            }
    return p;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: cannot weigh v");
    Attended result{{}, masked_softmax(attention_scores(q, k), mask)};
    result.context = matmul(result.weights, v);
    return result;
}

}  // namespace headway::ex03
