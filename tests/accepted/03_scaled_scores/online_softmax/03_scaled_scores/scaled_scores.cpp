#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex03 {

namespace {

/// What one query has seen so far.        [Milakov, Gimelshein 2018; as in FlashAttention]
struct Running {
    double max = -INFINITY;
    double sum = 0;
    std::vector<double> context;

    template <class Value>
    void see(double score, Value value) {
        if (score > max) {
            const double shrink = std::exp(max - score);
            sum *= shrink;
            for (double& c : context) c *= shrink;
            max = score;
        }
        const double e = std::exp(score - max);
        sum += e;
        for (std::size_t i = 0; i < context.size(); ++i) context[i] += e * value(i);
    }
};

double scaled_dot(const Tensor& q, const Tensor& k) {
    double dot = 0;
    for (Index i = 0; i < q.size(0); ++i) dot += static_cast<double>(q(i)) * k(i);
    return dot / std::sqrt(static_cast<double>(q.size(0)));
}

void check_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("q and k do not fit: " + to_string(q.shape()) + ", " + to_string(k.shape()));
}

Mask widened(const Mask& mask, const Shape& shape) {
    return mask.defined() ? mask.expand(shape) : Mask::allow_all(shape);
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    check_scores(q, k);
    Tensor scores = Tensor::empty({q.size(0), q.size(1), q.size(2), k.size(2)});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            for (Index t = 0; t < q.size(2); ++t)
                for (Index s = 0; s < k.size(2); ++s)
                    scores(b, h, t, s) = static_cast<float>(scaled_dot(q[b][h][t], k[b][h][s]));
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    const Index past = S - T;
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + past;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < mask.size(0); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("masked_softmax: (B, H, T, S)");
    const Mask blocked = widened(mask, scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) {
                Running row;
                for (Index s = 0; s < scores.size(3); ++s)
                    if (!blocked(b, h, t, s)) row.see(scores(b, h, t, s), [](std::size_t) { return 0.0; });
                for (Index s = 0; s < scores.size(3); ++s)
                    if (!blocked(b, h, t, s))
                        weights(b, h, t, s) = static_cast<float>(std::exp(scores(b, h, t, s) - row.max) / row.sum);
            }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check_scores(q, k);
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("v does not fit k: " + to_string(v.shape()) + ", " + to_string(k.shape()));
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d_v = v.size(3);
    const Mask blocked = widened(mask, {B, H, T, S});
    Attended out{Tensor::zeros({B, H, T, d_v}), Tensor::zeros({B, H, T, S})};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                const Tensor query = q[b][h][t];
                Running row{.context = std::vector<double>(static_cast<std::size_t>(d_v), 0.0)};
                std::vector<double> scores(static_cast<std::size_t>(S), -INFINITY);
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    const Tensor value = v[b][h][s];
                    scores[s] = scaled_dot(query, k[b][h][s]);
                    row.see(scores[s], [&](std::size_t i) { return value(i); });
                }
                if (row.sum == 0) continue;
                for (Index i = 0; i < d_v; ++i) out.context(b, h, t, i) = static_cast<float>(row.context[i] / row.sum);
                for (Index s = 0; s < S; ++s)
                    out.weights(b, h, t, s) = static_cast<float>(std::exp(scores[s] - row.max) / row.sum);
            }
    return out;
}

}  // namespace headway::ex03
