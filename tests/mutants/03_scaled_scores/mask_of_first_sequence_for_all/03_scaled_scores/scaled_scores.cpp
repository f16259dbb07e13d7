#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {
namespace {

/// Softmax of one row of n numbers, written to out; blocked numbers get 0.
void softmax_of_row(const Tensor& row, const std::vector<char>& blocked, Tensor out) {
    float top = -INFINITY;
    for (Index s = 0; s < row.size(0); ++s)
        if (blocked[static_cast<std::size_t>(s)] == 0 && row(s) > top) top = row(s);
    float total = 0.0F;
    for (Index s = 0; s < row.size(0); ++s) {
        out(s) = blocked[static_cast<std::size_t>(s)] == 0 ? std::exp(row(s) - top) : 0.0F;
        total += out(s);
    }
    if (total > 0.0F) out *= 1.0F / total;
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q and k disagree");
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
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), S = scores.size(3);
    Tensor weights = Tensor::zeros({B, H, T, S});
    std::vector<char> blocked(static_cast<std::size_t>(S), 0);
    const Mask wide = mask.defined() ? mask.expand(scores.shape()) : mask;
    for (Index h = 0; h < H; ++h) {
        for (Index t = 0; t < T; ++t) {
            // the mask row is the same for the batch, so it is unpacked once
            if (wide.defined())
                for (Index s = 0; s < S; ++s) blocked[static_cast<std::size_t>(s)] = wide(0, h, t, s);
            for (Index b = 0; b < B; ++b) softmax_of_row(scores[b][h][t], blocked, weights[b][h][t]);
        }
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v disagree");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
