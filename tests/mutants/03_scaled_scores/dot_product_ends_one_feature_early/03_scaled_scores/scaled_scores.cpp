#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

namespace {

/// Pointers and strides of one head, so that views need no copy.
struct Rows {
    const float* base;
    Index row_stride, column_stride;
    float at(Index row, Index column) const { return base[row * row_stride + column * column_stride]; }
};

Rows rows_of(const Tensor& x, Index b, Index h) {
    const Strides& stride = x.strides();
    return {x.data() + b * stride[0] + h * stride[1], stride[2], stride[3]};
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: q, k of rank 4");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    if (B != k.size(0) || H != k.size(1) || d != k.size(3))
        throw std::invalid_argument("attention_scores: q " + to_string(q.shape()) + " k " + to_string(k.shape()));
    Tensor scores = Tensor::empty({B, H, T, S});
    const float inv = 1.0F / std::sqrt(static_cast<float>(d));
    float* out = scores.data();
    for (Index b = 0; b < B; b++) {
        for (Index h = 0; h < H; h++) {
            const Rows Q = rows_of(q, b, h), K = rows_of(k, b, h);
            for (Index t = 0; t < T; t++)
                for (Index s = 0; s < S; s++) {
                    float acc = 0.0F;
                    for (Index i = 0; i < d - 1; i++) acc += Q.at(t, i) * K.at(s, i);
                    *out++ = acc * inv;
                }
        }
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    bool* m = mask.data();
    for (Index t = 0; t < T; t++)
        for (Index s = 0; s < S; s++) m[t * S + s] = (s > t + (S - T));
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    bool* m = mask.data();
    for (std::size_t b = 0; b < lengths.size(); b++)
        for (Index s = 0; s < S; s++) m[static_cast<Index>(b) * S + s] = (s >= lengths[b]);
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Index S = scores.size(3);
    const Tensor x = scores.contiguous();
    Mask m;
    if (mask.defined()) m = mask.expand(scores.shape()).clone();
    Tensor w = Tensor::zeros(scores.shape());
    for (Index start = 0; start < x.numel(); start += S) {
        const float* in = x.data() + start;
        float* out = w.data() + start;
        float mx = -INFINITY, z = 0.0F;
        for (Index s = 0; s < S; s++)
            if (!(m.defined() && m.data()[start + s]) && in[s] > mx) mx = in[s];
        for (Index s = 0; s < S; s++) {
            if (m.defined() && m.data()[start + s]) continue;
            out[s] = std::exp(in[s] - mx);
            z += out[s];
        }
        if (z > 0.0F)
            for (Index s = 0; s < S; s++) out[s] /= z;
    }
    return w;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("attention: k " + to_string(k.shape()) + " v " + to_string(v.shape()));
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    const Index T = q.size(2), S = k.size(2), d_v = v.size(3);
    Tensor context = Tensor::zeros({q.size(0), q.size(1), T, d_v});
    float* out = context.data();
    for (Index b = 0; b < q.size(0); b++)
        for (Index h = 0; h < q.size(1); h++) {
            const Rows W = rows_of(weights, b, h), V = rows_of(v, b, h);
            for (Index t = 0; t < T; t++, out += d_v)
                for (Index s = 0; s < S; s++)
                    for (Index i = 0; i < d_v; i++) out[i] += W.at(t, s) * V.at(s, i);
        }
    return {context, weights};
}

}  // namespace headway::ex03
