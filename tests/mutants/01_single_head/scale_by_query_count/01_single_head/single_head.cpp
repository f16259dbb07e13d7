#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

namespace {

// plain triple loop
Tensor multiply(const Tensor& a, const Tensor& b) {
    if (a.rank() != 2 || b.rank() != 2 || a.size(1) != b.size(0)) {
        throw std::invalid_argument("multiply: sizes do not fit");
    }
    Tensor c = Tensor::zeros({a.size(0), b.size(1)});
    for (Index i = 0; i < a.size(0); i++) {
        for (Index j = 0; j < b.size(1); j++) {
            for (Index p = 0; p < a.size(1); p++) {
                c(i, j) += a(i, p) * b(p, j);
            }
        }
    }
    return c;
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) {
        throw std::invalid_argument("softmax_rows: rank");
    }
    Tensor result = Tensor::zeros(scores.shape());
    for (Index i = 0; i < scores.size(0); i++) {
        float biggest = scores(i, 0);
        for (Index j = 1; j < scores.size(1); j++) {
            biggest = std::max(biggest, scores(i, j));
        }
        float total = 0;
        for (Index j = 0; j < scores.size(1); j++) {
            result(i, j) = std::exp(scores(i, j) - biggest);
            total += result(i, j);
        }
        for (Index j = 0; j < scores.size(1); j++) {
            result(i, j) /= total;
        }
    }
    return result;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1)) {
        throw std::invalid_argument("attention_weights: q and k do not fit");
    }
    Tensor scores = multiply(q, k.transpose(0, 1));
    const float d_k = static_cast<float>(q.shape()[0]);
    scores /= std::sqrt(d_k);
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    Tensor w = attention_weights(multiply(x, w_q), multiply(x, w_k));
    return multiply(w, multiply(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) {
        throw std::invalid_argument("with_residual: shapes");
    }
    return x + attended;
}

}  // namespace headway::ex01
