#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    Tensor out = Tensor::zeros(scores.shape());
    for (Index i = 0; i < scores.size(0); i++) {
        float biggest = scores(i, 0);
        for (Index j = 1; j < scores.size(1); j++) {
            if (scores(i, j) > biggest) biggest = scores(i, j);
        }
        float sum = 0.0f;
        for (Index j = 0; j < scores.size(1); j++) {
            out(i, j) = std::exp(scores(i, j) - biggest);
            sum += out(i, j);
        }
        for (Index j = 0; j < scores.size(1); j++) out(i, j) /= sum;
    }
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.size(1) != k.size(1)) throw std::invalid_argument("q and k need the same width");
    Tensor scores = matmul(q, k);
    scores /= std::sqrt(float(q.size(1)));
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    Tensor queries = matmul(x, w_q);
    Tensor keys = matmul(x, w_k);
    Tensor values = matmul(x, w_v);
    Tensor weights = attention_weights(queries, keys);
    return matmul(weights, values);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("x and attended need the same shape");
    return x + attended;
}

}  // namespace headway::ex01
