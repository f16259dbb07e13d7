#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {
namespace {

/// A tensor as a pointer and one stride for each axis.
struct View {
    const float* data;
    Index batch, head, row, column;

    explicit View(const Tensor& x)
        : data(x.data()), batch(x.strides()[0]), head(x.strides()[1]), row(x.strides()[2]), column(x.strides()[3]) {}
};

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: rank 4 expected");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) throw std::invalid_argument("attention_scores: k");
    const View queries(q), keys(k);
    const float scale = 1.0F / std::sqrt(static_cast<float>(d));
    Tensor scores = Tensor::empty({B, H, T, S});
    float* out = scores.data();
    for (Index bh = 0; bh < B * H; ++bh) {
        const Index b = bh / H, h = bh % H;
        const float* query = queries.data + b * queries.batch + h * queries.head;
        const float* key_base = keys.data + b * keys.batch + h / H * keys.head;
        for (Index t = 0; t < T; ++t, query += queries.row) {
            const float* key = key_base;
            for (Index s = 0; s < S; ++s, key += keys.row) {
                float dot = 0;
                for (Index i = 0; i < d; ++i) dot += query[i * queries.column] * key[i * keys.column];
                *out++ = dot * scale;
            }
        }
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index i = 0; i < T * S; ++i) mask.data()[i] = i % S > i / S + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, 1, S});
    for (Index i = 0; i < B * S; ++i) mask.data()[i] = i % S >= lengths[static_cast<std::size_t>(i / S)];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor in = scores.contiguous();
    const Mask blocked = mask.defined() ? mask.expand(scores.shape()).clone() : Mask::allow_all(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    const Index S = scores.size(3);
    for (Index at = 0; at < in.numel(); at += S) {
        const float* x = in.data() + at;
        const bool* m = blocked.data() + at;
        float* w = weights.data() + at;
        float top = std::numeric_limits<float>::lowest();
        float total = 0;
        for (Index s = 0; s < S; ++s) top = !m[s] && x[s] > top ? x[s] : top;
        for (Index s = 0; s < S; ++s) total += w[s] = m[s] ? 0 : std::exp(x[s] - top);
        for (Index s = 0; s < S && total > 0; ++s) w[s] /= total;
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: v");
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
