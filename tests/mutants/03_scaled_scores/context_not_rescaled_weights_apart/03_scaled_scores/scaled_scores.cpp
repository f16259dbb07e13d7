#include "scaled_scores.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

namespace headway::ex03 {
namespace {

constexpr double nothing_yet = -std::numeric_limits<double>::infinity();

/// The largest score so far, and the sum of all exponentials relative to it.
struct Running {
    double largest = nothing_yet;
    double total = 0;

    /// Takes a score in; returns the factor by which what was summed before must be multiplied.
    double take(double score) {
        if (score <= largest) {
            total += std::exp(score - largest);
            return 1;
        }
        const double factor = std::exp(largest - score);  // 0 for the first score
        total = total * factor + 1;
        largest = score;
        return factor;
    }

    double share(double score) const { return std::exp(score - largest) / total; }
};

/// The mask in the shape of the scores.
Mask spread(const Mask& mask, const Shape& shape) {
    return mask.defined() ? mask.expand(shape) : Mask::allow_all({1, 1, 1, 1}).expand(shape);
}

template <class Body>
void for_each_row(const Tensor& scores, Body body) {
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) body(b, h, t);
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: not of rank 4");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k do not fit");
    const double divisor = std::sqrt(static_cast<double>(q.size(3)));
    Tensor scores = Tensor::zeros({q.size(0), q.size(1), q.size(2), k.size(2)});
    for_each_row(scores, [&](Index b, Index h, Index t) {
        for (Index s = 0; s < k.size(2); ++s) {
            double dot = 0;
            for (Index i = 0; i < q.size(3); ++i) dot += static_cast<double>(q(b, h, t, i)) * k(b, h, s, i);
            scores(b, h, t, s) = static_cast<float>(dot / divisor);
        }
    });
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index s = 0; s < S; ++s)
        for (Index t = 0; t < T && t < s + (T - S); ++t) mask(t, s) = true;  // queries before key s
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::block_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < lengths[b]; ++s) mask(b, 0, 0, s) = false;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("masked_softmax: scores are not of rank 4");
    const Mask blocked = spread(mask, scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    for_each_row(scores, [&](Index b, Index h, Index t) {
        Running running;
        for (Index s = 0; s < scores.size(3); ++s)
            if (!blocked(b, h, t, s)) running.take(scores(b, h, t, s));
        for (Index s = 0; s < scores.size(3); ++s)
            if (!blocked(b, h, t, s)) weights(b, h, t, s) = static_cast<float>(running.share(scores(b, h, t, s)));
    });
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor scores = attention_scores(q, k);
    if (v.rank() != 4) throw std::invalid_argument("scaled_dot_product_attention: v is not of rank 4");
    for (const Index axis : {0, 1, 2})
        if (v.size(axis) != k.size(axis)) throw std::invalid_argument("scaled_dot_product_attention: v does not fit k");
    const Mask blocked = spread(mask, scores.shape());
    Tensor context = Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
    for_each_row(scores, [&](Index b, Index h, Index t) {
        // The context relative to the largest score so far; what no key gave is 0.
        Running running;
        std::vector<double> gathered(static_cast<std::size_t>(v.size(3)), 0.0);
        for (Index s = 0; s < k.size(2); ++s) {
            if (blocked(b, h, t, s)) continue;
            running.take(scores(b, h, t, s));
            const double share = std::exp(scores(b, h, t, s) - running.largest);
            for (std::size_t j = 0; j < gathered.size(); ++j) gathered[j] += share * v(b, h, s, j);
        }
        if (running.total == 0) return;
        for (std::size_t j = 0; j < gathered.size(); ++j)
            context(b, h, t, j) = static_cast<float>(gathered[j] / running.total);
    });
    return {context, masked_softmax(scores, mask)};
}

}  // namespace headway::ex03
