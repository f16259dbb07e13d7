#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {
namespace {

struct Sizes {
    Index B, H, T, S, d;
};

Sizes check(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("four axes are needed");
    const Sizes n{q.size(0), q.size(1), q.size(2), k.size(2), q.size(3)};
    if (k.size(0) != n.B || k.size(1) != n.H || k.size(3) != n.d)
        throw std::invalid_argument("k " + to_string(k.shape()) + " does not fit q " + to_string(q.shape()));
    return n;
}

float dot(const Tensor& q, const Tensor& k, Index b, Index h, Index t, Index s) {
    float total = 0.0F;
    for (Index i = 0; i < q.size(3); ++i) total += q(b, h, t, i) * k(b, h, s, i);
    return total;
}

/// Turns the open scores of one row into weights that sum to 1, blocked ones into 0.
void softmax_row(std::vector<float>& row, const std::vector<bool>& blocked) {
    float top = std::numeric_limits<float>::lowest();
    for (std::size_t s = 0; s < row.size(); ++s)
        if (!blocked[s]) top = std::max(top, row[s]);
    float total = 0.0F;
    for (std::size_t s = 0; s < row.size(); ++s) {
        row[s] = blocked[s] ? 0.0F : std::exp(row[s] - top);
        total += row[s];
    }
    if (total > 0.0F)
        for (float& weight : row) weight /= total;
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    const Sizes n = check(q, k);
    const float root = std::sqrt(static_cast<float>(n.d));
    Tensor scores = Tensor::zeros({n.B, n.H, n.T, n.S});
    for (Index b = 0; b < n.B; ++b)
        for (Index h = 0; h < n.H; ++h)
            for (Index t = 0; t < n.T; ++t)
                for (Index s = 0; s < n.S; ++s) scores(b, h, t, s) = dot(q, k, b, h, t, s) / root;
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
    const Mask wide = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    const auto S = static_cast<std::size_t>(scores.size(3));
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) {
                std::vector<float> row(S);
                std::vector<bool> blocked(S);
                for (std::size_t s = 0; s < S; ++s) {
                    row[s] = scores(b, h, t, s);
                    blocked[s] = wide(b, h, t, s);
                }
                softmax_row(row, blocked);
                for (std::size_t s = 0; s < S; ++s) weights(b, h, t, s) = row[s];
            }
    return weights;
}

// Everything in one pass over the queries, so that no (B, H, T, S) scores are stored.
Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Sizes n = check(q, k);
    if (v.rank() != 4 || v.size(0) != n.B || v.size(1) != n.H || v.size(2) != n.S)
        throw std::invalid_argument("v " + to_string(v.shape()) + " does not fit k " + to_string(k.shape()));
    const Index width = v.size(3);
    const float root = std::sqrt(static_cast<float>(width));
    const Mask wide = mask.defined() ? mask.expand({n.B, n.H, n.T, n.S}) : Mask::allow_all({n.B, n.H, n.T, n.S});
    Attended result{Tensor::zeros({n.B, n.H, n.T, width}), Tensor::zeros({n.B, n.H, n.T, n.S})};
    for (Index b = 0; b < n.B; ++b)
        for (Index h = 0; h < n.H; ++h)
            for (Index t = 0; t < n.T; ++t) {
                std::vector<float> row;
                std::vector<bool> blocked;
                for (Index s = 0; s < n.S; ++s) {
                    row.push_back(dot(q, k, b, h, t, s) / root);
                    blocked.push_back(wide(b, h, t, s));
                }
                softmax_row(row, blocked);
                for (Index s = 0; s < n.S; ++s) {
                    const float weight = row[static_cast<std::size_t>(s)];
                    result.weights(b, h, t, s) = weight;
                    for (Index j = 0; j < width; ++j) result.context(b, h, t, j) += weight * v(b, h, s, j);
                }
            }
    return result;
}

}  // namespace headway::ex03
