#include "scaled_scores.hpp"

#include <headway/eigen.hpp>

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k do not match");
    Tensor scores = Tensor::empty({q.size(0), q.size(1), q.size(2), k.size(2)});
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    for (Index b = 0; b < q.size(0); ++b) {
        for (Index h = 0; h < q.size(1); ++h) {
            const EigenMap Q = as_eigen(q[b][h]);
            const EigenMap K = as_eigen(k[b][h]);
            as_eigen(scores[b][h]) = Q * K.transpose() / root;
        }
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    const Index offset = T - S;
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + offset;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = lengths[b]; s < S; ++s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask blocked = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b) {
        for (Index h = 0; h < scores.size(1); ++h) {
            const EigenMap x = as_eigen(scores[b][h]);
            EigenMap w = as_eigen(weights[b][h]);
            for (Index t = 0; t < x.rows(); ++t) {
                float top = -INFINITY;
                for (Index s = 0; s < x.cols(); ++s)
                    if (!blocked(b, h, t, s)) top = std::max(top, x(t, s));
                for (Index s = 0; s < x.cols(); ++s)
                    if (!blocked(b, h, t, s)) w(t, s) = std::exp(x(t, s) - top);
                const float total = w.row(t).sum();
                if (total > 0.0F) w.row(t) /= total;
            }
        }
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v do not match");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::empty({q.size(0), q.size(1), q.size(2), v.size(3)});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h) as_eigen(context[b][h]) = as_eigen(weights[b][h]) * as_eigen(v[b][h]);
    return {context, weights};
}

}  // namespace headway::ex03
