#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

// scores (T, S)
Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) {
        throw std::invalid_argument("scores must be (T, S)");
    }
    const Index T = scores.size(0);
    const Index S = scores.size(1);
    Tensor weights = Tensor::zeros({T, S});
    float row_max = -INFINITY;
    for (Index t = 0; t < T; t++) {
        for (Index s = 0; s < S; s++) {
            if (scores(t, s) > row_max) {
                row_max = scores(t, s);
            }
        }
        float denominator = 0.0f;
        for (Index s = 0; s < S; s++) {
            weights(t, s) = expf(scores(t, s) - row_max);
            denominator += weights(t, s);
        }
        for (Index s = 0; s < S; s++) {
            weights(t, s) = weights(t, s) / denominator;
        }
    }
    return weights;
}

// q (T, d), k (S, d)
Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1)) {
        throw std::invalid_argument("q must be (T, d) and k (S, d)");
    }
    Tensor scores = matmul(q, k.transpose(0, 1));
    scores /= sqrtf(static_cast<float>(q.size(1)));
    return softmax_rows(scores);
}

// x (T, D)
Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) {
        throw std::invalid_argument("x must be (T, D)");
    }
    Tensor q = matmul(x, w_q);
    Tensor k = matmul(x, w_k);
    Tensor v = matmul(x, w_v);
    Tensor weights = attention_weights(q, k);
    return matmul(weights, v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) {
        throw std::invalid_argument("x and attended must be (T, D)");
    }
    return x + attended;
}

}  // namespace headway::ex01
