#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {
namespace {

/// The part of the scores that belongs to one query.
class ScoreRow {
public:
    ScoreRow(const Tensor& scores, const Mask& blocked, Index b, Index h, Index t)
        : scores_(scores[b][h][t]), blocked_(blocked), b_(b), h_(h), t_(t) {}

    Index size() const { return scores_.size(0); }
    bool open(Index s) const { return !blocked_(b_, h_, t_, s); }
    float score(Index s) const { return scores_(s); }

    float maximum() const {
        float top = std::numeric_limits<float>::lowest();
        for (Index s = 0; s < size(); ++s)
            if (open(s)) top = std::max(top, score(s));
        return top;
    }

private:
    const Tensor scores_;
    const Mask& blocked_;
    Index b_, h_, t_;
};

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: B, H or d differ");
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(q.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    const Index shift = S - T;
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s >= t + shift;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask blocked = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) {
                const ScoreRow row(scores, blocked, b, h, t);
                Tensor out = weights[b][h][t];
                const float top = row.maximum();
                for (Index s = 0; s < row.size(); ++s)
                    if (row.open(s)) out(s) = std::exp(row.score(s) - top);
                const float total = sum(out, 0)();
                if (total > 0.0F) out /= total;
            }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || k.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: B, H or S differ");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
