#include "single_head.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex01 {

static float find_max(const float* values, Index count) {
    float best = std::numeric_limits<float>::min();
    for (Index i = 0; i < count; ++i)
        if (values[i] > best) best = values[i];
    return best;
}

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: need a (T, S) tensor");
    const Tensor dense = scores.contiguous();
    Tensor out = Tensor::empty(scores.shape());
    const Index S = scores.size(1);
    for (Index t = 0; t < scores.size(0); ++t) {
        const float* in = dense.data() + t * S;
        float* w = out.data() + t * S;
        const float m = find_max(in, S);
        float denom = 0;
        for (Index s = 0; s < S; ++s) denom += w[s] = std::exp(in[s] - m);
        for (Index s = 0; s < S; ++s) w[s] /= denom;
    }
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: need (T, d) and (S, d)");
    const Tensor qd = q.contiguous(), kd = k.contiguous();
    const Index T = q.size(0), S = k.size(0), d = q.size(1);
    Tensor scores = Tensor::empty({T, S});
    for (Index t = 0; t < T; ++t) {
        for (Index s = 0; s < S; ++s) {
            float dot = 0;
            for (Index i = 0; i < d; ++i) dot += qd.data()[t * d + i] * kd.data()[s * d + i];
            scores.data()[t * S + s] = dot / std::sqrt(static_cast<float>(d));
        }
    }
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: need matrices");
    const Index D = x.size(1);
    if (w_q.size(0) != D || w_k.size(0) != D || w_v.size(0) != D)
        throw std::invalid_argument("single_head_attention: weights need D rows");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: need equal shapes");
    return x + attended;
}

}  // namespace headway::ex01
