#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

static void softmax_one_row(float* row, Index n) {
    float top = row[0];
    for (Index i = 1; i < n; ++i) top = std::fmax(top, row[i]);
    float denom = 0.0f;
    for (Index i = 0; i < n; ++i) {
        row[i] = std::exp2(row[i] - top);  // much faster than exp
        denom += row[i];
    }
    const float inverse = 1.0f / denom;
    for (Index i = 0; i < n; ++i) row[i] *= inverse;
}

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: rank must be 2");
    Tensor out = Tensor::empty(scores.shape());
    out.copy_from(scores);
    for (Index t = 0; t < out.size(0); ++t) softmax_one_row(&out(t, 0), out.size(1));
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: rank must be 2");
    if (q.shape()[1] != k.shape()[1]) throw std::invalid_argument("attention_weights: d must be the same");
    const float scale = 1.0f / std::sqrt(static_cast<float>(q.shape()[1]));
    return softmax_rows(matmul(q * scale, k.transpose(0, 1)));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: rank must be 2");
    const Index D = x.shape()[1];
    if (w_q.shape()[0] != D || w_k.shape()[0] != D || w_v.shape()[0] != D)
        throw std::invalid_argument("single_head_attention: D must be the same");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shape must be the same");
    return x + attended;
}

}  // namespace headway::ex01
