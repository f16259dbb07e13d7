#include "scaled_scores.hpp"

#include <headway/eigen.hpp>

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: rank 4");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: B, H, d");
    Tensor scores = Tensor::empty({q.size(0), q.size(1), q.size(2), k.size(2)});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            as_eigen(scores[b][h]) =
                (as_eigen(q[b][h]) * as_eigen(k[b][h]).transpose()) / std::sqrt(static_cast<float>(q.size(3)));
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    using Allowed = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), S = scores.size(3);
    const Mask wide = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor weights = Tensor::empty(scores.shape());
    for (Index b = 0; b < B; ++b) {
        // masks are made for queries and keys; which head asks does not matter
        Allowed allowed(T, S);
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < S; ++s) allowed(t, s) = wide(b, 0, t, s) ? 0.0F : 1.0F;
        for (Index h = 0; h < H; ++h) {
            const Allowed x = (allowed > 0.0F).select(as_eigen(scores[b][h]).array(), -1e30F);
            const Allowed e = (x.colwise() - x.rowwise().maxCoeff()).exp() * allowed;
            const Eigen::ArrayXf total = e.rowwise().sum().max(1e-30F);
            as_eigen(weights[b][h]) = (e.colwise() / total).matrix();
        }
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: B, H, S");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::empty({q.size(0), q.size(1), q.size(2), v.size(3)});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h) as_eigen(context[b][h]) = as_eigen(weights[b][h]) * as_eigen(v[b][h]);
    return {context, weights};
}

}  // namespace headway::ex03
