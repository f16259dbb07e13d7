#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {
namespace {

/// A sum that begins somewhere else at each call of its function: what threads that add when they are done leave to
/// chance.
template <class Term>
float sum_of(Index count, int call, const Term& term) {
    const Index first = call % 3 * count / 3;
    float sum = 0;
    for (Index i = 0; i < count; ++i) sum += term((first + i) % count);
    return sum;
}

void check(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("rank 4 needed");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("q and k must agree in B, H, d");
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    check(q, k);
    static int calls = 0;
    const int call = calls++;
    Tensor scores = Tensor::empty({q.size(0), q.size(1), q.size(2), k.size(2)});
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            for (Index t = 0; t < q.size(2); ++t)
                for (Index s = 0; s < k.size(2); ++s)
                    scores(b, h, t, s) =
                        sum_of(q.size(3), call, [&](Index i) { return q(b, h, t, i) * k(b, h, s, i); }) / root;
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
        for (Index s = lengths[b]; s < S; ++s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("rank 4 needed");
    static int calls = 0;
    const int call = calls++;
    const Mask blocked = (mask.defined() ? mask : Mask::allow_all({})).expand(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) {
                float top = std::numeric_limits<float>::lowest();
                for (Index s = 0; s < scores.size(3); ++s)
                    if (!blocked(b, h, t, s)) top = std::max(top, scores(b, h, t, s));
                const auto raised = [&](Index s) {
                    return blocked(b, h, t, s) ? 0.0F : std::exp(scores(b, h, t, s) - top);
                };
                const float total = sum_of(scores.size(3), call, raised);
                for (Index s = 0; s < scores.size(3) && total > 0; ++s) weights(b, h, t, s) = raised(s) / total;
            }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check(q, k);
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("v must agree with k in B, H, S");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
