#include "scaled_scores.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace headway::ex03 {

namespace {

std::vector<float> row_of(const Tensor& x, Index b, Index h, Index r) {
    std::vector<float> row;
    row.reserve(static_cast<std::size_t>(x.size(3)));
    for (Index i = 0; i < x.size(3); ++i) row.push_back(x(b, h, r, i));
    return row;
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: shapes");
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    Tensor scores = Tensor::zeros({q.size(0), q.size(1), q.size(2), k.size(2)});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            for (Index t = 0; t < q.size(2); ++t) {
                const std::vector<float> query = row_of(q, b, h, t);
                for (Index s = 0; s < k.size(2); ++s) {
                    const std::vector<float> key = row_of(k, b, h, s);
                    scores(b, h, t, s) = std::inner_product(query.begin(), query.end(), key.begin(), 0.0F) / root;
                }
            }
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
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        const Index padded = S - lengths[b];
        for (Index s = 0; s < padded; ++s) mask(b, 0, 0, s) = true;
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -1e30F);
    const Tensor e = masked_fill(exp(x - max(x, -1, KeepAxis::yes)), mask, 0.0F);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: shapes");
    Attended result{Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)}),
                    masked_softmax(attention_scores(q, k), mask)};
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            for (Index t = 0; t < q.size(2); ++t) {
                const std::vector<float> weights = row_of(result.weights, b, h, t);
                for (Index s = 0; s < v.size(2); ++s)
                    result.context[b][h][t] += v[b][h][s] * weights[static_cast<std::size_t>(s)];
            }
    return result;
}

}  // namespace headway::ex03
