#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using headway::Index;
using headway::Tensor;

Tensor headway::ex01::softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: scores must have two axes");
    Tensor result = scores.contiguous().clone();
    if (result.shares_storage_with(scores)) throw std::logic_error("clone shares storage");
    const Index T = result.size(0);
    const Index S = result.size(1);
    float* row = result.data();
    for (Index t = 0; t < T; ++t, row += S) {
        const float top = *std::max_element(row, row + S);
        float total = 0.0F;
        std::for_each(row, row + S, [&](float& value) { total += (value = std::exp(value - top)); });
        std::for_each(row, row + S, [&](float& value) { value /= total; });
    }
    return result;
}

Tensor headway::ex01::attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: two matrices please");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: q and k of the same width please");
    Tensor weights = softmax_rows(matmul(q, k.transpose(0, 1)));
    weights /= std::sqrt(static_cast<float>(q.size(1)));
    return weights;
}

Tensor headway::ex01::single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2 || w_q.size(0) != x.size(1) ||
        w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("single_head_attention: weights must be (D, ...)");
    const Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return matmul(weights, matmul(x, w_v));
}

Tensor headway::ex01::with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes must be equal");
    return x + attended;
}
