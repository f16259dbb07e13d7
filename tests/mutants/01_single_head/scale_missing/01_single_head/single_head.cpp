#include "single_head.hpp"

#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: not a matrix: " + to_string(scores.shape()));
    const Tensor shifted = scores - max(scores, -1, KeepAxis::yes);
    const Tensor numerator = exp(shifted);
    const Tensor denominator = sum(numerator, -1, KeepAxis::yes);
    return numerator / denominator;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: " + to_string(q.shape()) + " and " + to_string(k.shape()));
    const Tensor similarity = matmul(q, k.transpose(0, 1));
    return softmax_rows(similarity);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("single_head_attention: x must be a matrix");
    const auto project = [&x](const Tensor& w) {
        if (w.rank() != 2 || w.size(0) != x.size(1))
            throw std::invalid_argument("single_head_attention: weight " + to_string(w.shape()) + " does not fit x " +
                                        to_string(x.shape()));
        return matmul(x, w);
    };
    return matmul(attention_weights(project(w_q), project(w_k)), project(w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes differ");
    return attended + x;
}

}  // namespace headway::ex01
