#include "scaled_scores.hpp"

#include <headway/eigen.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::ex03 {

namespace {

template <class Function>
void for_each_head(const Tensor& like, Function function) {
    for (Index b = 0; b < like.size(0); ++b)
        for (Index h = 0; h < like.size(1); ++h) function(b, h);
}

void fits(bool condition) {
    if (!condition) throw std::invalid_argument("shapes do not fit");
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    fits(q.rank() == 4 && k.rank() == 4);
    fits(q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(3) == k.size(3));
    Tensor scores = Tensor::empty({q.size(0), q.size(1), q.size(2), k.size(2)});
    const float scale = 1.0F / std::sqrt(static_cast<float>(q.size(3)));
    for_each_head(scores, [&](Index b, Index h) {
        as_eigen(scores[b][h]).noalias() = scale * as_eigen(q[b][h]) * as_eigen(k[b][h]).transpose();
    });
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    using BoolMatrix = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<BoolMatrix>(mask.data(), T, S) =
        BoolMatrix::NullaryExpr(T, S, [=](Eigen::Index t, Eigen::Index s) { return s > t + (S - T); });
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    Mask mask = Mask::block_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < std::min(lengths[static_cast<std::size_t>(b)], S); ++s) mask(b, 0, 0, s) = false;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    fits(scores.rank() == 4);
    Tensor weights = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    for_each_head(weights, [&](Index b, Index h) {
        EigenMap m = as_eigen(weights[b][h]);
        for (Eigen::Index t = 0; t < m.rows(); ++t) {
            const float top = m.row(t).maxCoeff();
            if (top == -std::numeric_limits<float>::infinity()) {
                m.row(t).setZero();  // every key is blocked
                continue;
            }
            m.row(t) = (m.row(t).array() - top).exp().matrix().eval();
            m.row(t) /= m.row(t).sum();
        }
    });
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    fits(k.rank() == 4 && v.rank() == 4);
    fits(v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2));
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::empty({q.size(0), q.size(1), q.size(2), v.size(3)});
    for_each_head(context, [&](Index b, Index h) {
        as_eigen(context[b][h]).noalias() = as_eigen(weights[b][h]) * as_eigen(v[b][h]);
    });
    return {context, weights};
}

}  // namespace headway::ex03
