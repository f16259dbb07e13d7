#include "scaled_scores.hpp"

#include <headway/eigen.hpp>

#include <stdexcept>

namespace headway::ex03 {
namespace {

template <class PerHead>
void for_each_head(const Tensor& x, PerHead per_head) {
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h) per_head(b, h);
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("q and k must agree in batch, heads and width");
    const float scale = 1.0F / static_cast<float>(q.size(3));
    Tensor scores = Tensor::empty({q.size(0), q.size(1), q.size(2), k.size(2)});
    for_each_head(q, [&](Index b, Index h) {
        as_eigen(scores[b][h]).noalias() = scale * (as_eigen(q[b][h]) * as_eigen(k[b][h]).transpose());
    });
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = std::max<Index>(0, t + S - T + 1); s < S; ++s) mask(t, s) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = lengths[b]; s < S; ++s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    // Blocked scores become very small, and their weights exactly zero.
    const Tensor filled = masked_fill(scores, mask, -1e30F);
    Tensor weights = Tensor::empty(scores.shape());
    for_each_head(scores, [&](Index b, Index h) {
        const EigenMatrix x = as_eigen(filled[b][h]);
        EigenMap w = as_eigen(weights[b][h]);
        w = (x.colwise() - x.rowwise().maxCoeff()).array().exp();
        w = (x.array() > -9e29F).select(w, 0.0F);
        const Eigen::VectorXf total = w.rowwise().sum();
        for (Index t = 0; t < w.rows(); ++t)
            if (total[t] > 0.0F) w.row(t) /= total[t];
    });
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2))
        throw std::invalid_argument("k and v must agree in batch, heads and length");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::empty({q.size(0), q.size(1), q.size(2), v.size(3)});
    for_each_head(
        q, [&](Index b, Index h) { as_eigen(context[b][h]).noalias() = as_eigen(weights[b][h]) * as_eigen(v[b][h]); });
    return {context, weights};
}

}  // namespace headway::ex03
