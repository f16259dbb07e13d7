#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

namespace {

struct Size {
    Index rows, columns;
};

Size size_of(const Tensor& matrix) {
    if (matrix.rank() != 2) throw std::invalid_argument("this is no matrix: " + to_string(matrix.shape()));
    return {matrix.size(0), matrix.size(1)};
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    const auto [T, S] = size_of(scores);
    Tensor w = Tensor::zeros({T, S});
    for (Index t = 0; t < T; ++t) {
        float peak = scores(t, 0);
        for (Index s = 1; s < S; ++s) peak = std::max(peak, scores(t, s));
        float z = 0;
        for (Index s = 0; s < S; ++s) z += w(t, s) = std::exp(scores(t, s) - peak);
        for (Index s = 0; s < S; ++s) w(t, s) /= z;
    }
    return w;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    const auto [T, d] = size_of(q);
    const auto [S, k_width] = size_of(k);
    if (d != k_width) throw std::invalid_argument("q and k have different widths");
    Tensor weights = Tensor::zeros({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            double score = 0;
            for (Index i = 0; i < d; ++i) score += static_cast<double>(q(t, i)) * static_cast<double>(k(s, i));
            weights(t, s) = static_cast<float>(score / std::sqrt(static_cast<double>(d)));
        }
    return weights;
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Size tokens = size_of(x);
    for (const Tensor* w : {&w_q, &w_k, &w_v})
        if (size_of(*w).rows != tokens.columns) throw std::invalid_argument("a weight needs as many rows as x columns");
    const Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    const Tensor values = matmul(x, w_v);
    return matmul(weights, values);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("x and attended must have one shape");
    Tensor sum = x.contiguous().clone();
    sum += attended;
    return sum;
}

}  // namespace headway::ex01
