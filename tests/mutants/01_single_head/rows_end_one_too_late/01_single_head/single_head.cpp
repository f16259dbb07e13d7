#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    Index rows = scores.size(0);
    Index columns = scores.size(1);
    Tensor result = Tensor::zeros({rows, columns});
    for (Index r = 0; r < rows; r++) {
        float highest = scores(r, 0);
        for (Index c = 1; c <= columns; c++) highest = std::max(highest, scores(r, c));
        float sum = 0;
        for (Index c = 0; c <= columns; c++) sum += std::exp(scores(r, c) - highest);
        for (Index c = 0; c <= columns; c++) result(r, c) = std::exp(scores(r, c) - highest) / sum;
    }
    return result;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: widths differ");
    Tensor scores = matmul(q, k.transpose(0, 1)) / std::sqrt((float)q.size(1));
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return matmul(weights, matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes differ");
    return x + attended;
}

}  // namespace headway::ex01
