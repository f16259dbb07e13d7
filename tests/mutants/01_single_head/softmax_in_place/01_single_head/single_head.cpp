#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: two axes");
    Tensor w = scores;
    for (Index t = 0; t < w.size(0); ++t) {
        Tensor row = w[t];
        float m = max(row, 0)();
        float z = 0.0f;
        for (Index s = 0; s < row.numel(); ++s) {
            row(s) = std::exp(row(s) - m);
            z += row(s);
        }
        row /= z;
    }
    return w;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: two axes");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: width");
    Tensor scores = matmul(q, k.transpose(0, 1));
    return softmax_rows(scores / std::sqrt(static_cast<float>(k.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: two axes");
    // (T, D) · (D, n): matmul checks the D
    Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return matmul(weights, matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shape");
    return x + attended;
}

}  // namespace headway::ex01
