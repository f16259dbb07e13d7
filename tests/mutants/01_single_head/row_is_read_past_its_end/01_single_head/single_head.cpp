#include "single_head.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>

namespace headway::ex01 {

namespace {

std::unique_ptr<float[]> copy_row(const Tensor& matrix, Index row) {
    std::unique_ptr<float[]> values(new float[static_cast<std::size_t>(matrix.size(1))]);
    for (Index i = 0; i < matrix.size(1); ++i) values[static_cast<std::size_t>(i)] = matrix(row, i);
    return values;
}

float largest(const float* values, Index count) {
    float best = values[0];
    float current = values[0];
    for (Index i = 0; i < count; ++i) {
        if (current > best) best = current;
        current = values[i + 1];  // the next one
    }
    return best;
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: a matrix, please");
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index t = 0; t < scores.size(0); ++t) {
        const auto row = copy_row(scores, t);
        const float top = largest(row.get(), scores.size(1));
        float total = 0.0f;
        for (Index s = 0; s < scores.size(1); ++s) total += std::exp(row[static_cast<std::size_t>(s)] - top);
        for (Index s = 0; s < scores.size(1); ++s)
            weights(t, s) = std::exp(row[static_cast<std::size_t>(s)] - top) / total;
    }
    return weights;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: (T, d) and (S, d), please");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_v.rank() != 2) throw std::invalid_argument("single_head_attention: matrices, please");
    const Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return matmul(weights, matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: equal shapes, please");
    return x + attended;
}

}  // namespace headway::ex01
