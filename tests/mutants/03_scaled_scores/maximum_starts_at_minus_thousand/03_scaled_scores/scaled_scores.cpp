#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {
namespace {

struct Row {
    const float* scores;
    const bool* blocked;
    Index length;

    bool any_open() const {
        for (Index s = 0; s < length; ++s)
            if (!blocked[s]) return true;
        return false;
    }

    float maximum() const {
        float m = -1000.0F;
        for (Index s = 0; s < length; ++s)
            if (!blocked[s]) m = std::max(m, scores[s]);
        return m;
    }

    void softmax(float* out) const {
        const float m = maximum();
        double total = 0;
        for (Index s = 0; s < length; ++s) {
            if (blocked[s]) continue;
            out[s] = std::exp(scores[s] - m);
            total += static_cast<double>(out[s]);
        }
        for (Index s = 0; s < length; ++s) out[s] = static_cast<float>(static_cast<double>(out[s]) / total);
    }
};

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k");
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(q.size(3)));
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
    const Tensor x = scores.contiguous();
    const Mask m = mask.defined() ? mask.expand(scores.shape()).clone() : Mask::allow_all(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    const Index S = scores.size(3);
    for (Index at = 0; at < x.numel(); at += S) {
        const Row row{x.data() + at, m.data() + at, S};
        if (row.any_open()) row.softmax(weights.data() + at);
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
