#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: scores (T, S)");
    const Index rows = scores.size(0), cols = scores.size(1);
    Tensor p = Tensor::zeros({rows, cols});
    for (Index i = 0; i < rows; ++i) {
        float m = scores(i, 0);
        for (Index j = 1; j < cols; ++j) m = std::max(m, scores(i, j));
        float z = 0;
        for (Index j = 0; j < cols; ++j) z += p(i, j) = std::exp(scores(i, j) - m);
        for (Index j = 0; j < cols; ++j) p(i, j) /= z;
    }
    return p;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: q (T, d), k (S, d)");
    const Index T = q.size(0), d = q.size(1);
    Tensor scores = Tensor::zeros({T, T});
    for (Index i = 0; i < T; ++i)
        for (Index j = 0; j < T; ++j) {
            for (Index c = 0; c < d; ++c) scores(i, j) += q(i, c) * k(j, c);
            scores(i, j) /= std::sqrt(static_cast<float>(d));
        }
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("single_head_attention: x (T, D)");
    const Tensor* all[] = {&w_q, &w_k, &w_v};
    for (const Tensor* w : all)
        if (w->rank() != 2 || w->size(0) != x.size(1))
            throw std::invalid_argument("single_head_attention: weights (D, n)");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: x (T, D), attended (T, D)");
    Tensor y = Tensor::zeros(x.shape());
    for (Index i = 0; i < x.size(0); ++i) y[i].copy_from(x[i] + attended[i]);
    return y;
}

}  // namespace headway::ex01
