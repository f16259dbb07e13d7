#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {
namespace {

/// Walks over all (b, h, t) and calls f with them.
template <class F>
void each_query(const Shape& shape, F f) {
    for (Index b = 0; b < shape[0]; ++b)
        for (Index h = 0; h < shape[1]; ++h)
            for (Index t = 0; t < shape[2]; ++t) f(b, h, t);
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("q and k do not fit");
    const Index head_dim = q.size(3);
    const Index root = static_cast<Index>(std::sqrt(head_dim));
    Tensor scores = Tensor::zeros({q.size(0), q.size(1), q.size(2), k.size(2)});
    each_query(scores.shape(), [&](Index b, Index h, Index t) {
        for (Index s = 0; s < k.size(2); ++s) {
            double product = 0;
            for (Index i = 0; i < head_dim; ++i) product += static_cast<double>(q(b, h, t, i) * k(b, h, s, i));
            scores(b, h, t, s) = static_cast<float>(product / static_cast<double>(root));
        }
    });
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s)
            if (s - S > t - T) mask(t, s) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b != lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = !(s < lengths[b]);
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    Mask blocked = Mask::allow_all(scores.shape());
    if (mask.defined()) blocked = mask.expand(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    each_query(scores.shape(), [&](Index b, Index h, Index t) {
        std::vector<Index> open;
        for (Index s = 0; s < scores.size(3); ++s)
            if (!blocked(b, h, t, s)) open.push_back(s);
        if (open.empty()) return;
        float top = scores(b, h, t, open.front());
        for (const Index s : open) top = std::max(top, scores(b, h, t, s));
        double total = 0;
        for (const Index s : open) total += std::exp(static_cast<double>(scores(b, h, t, s) - top));
        for (const Index s : open)
            weights(b, h, t, s) = static_cast<float>(std::exp(static_cast<double>(scores(b, h, t, s) - top)) / total);
    });
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("k and v do not fit");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
    each_query(context.shape(), [&](Index b, Index h, Index t) {
        for (Index j = 0; j < v.size(3); ++j) {
            float mixed = 0;
            for (Index s = 0; s < v.size(2); ++s) mixed += weights(b, h, t, s) * v(b, h, s, j);
            context(b, h, t, j) = mixed;
        }
    });
    return {context, weights};
}

}  // namespace headway::ex03
