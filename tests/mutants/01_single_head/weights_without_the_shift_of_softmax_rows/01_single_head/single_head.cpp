#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    const Tensor e = exp(scores - max(scores, -1, KeepAxis::yes));
    return e / sum(e, -1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights");
    const float root = std::sqrt(float(q.size(1)));
    Tensor e = exp(matmul(q, k.transpose(0, 1)) / root);
    return e / sum(e, -1, KeepAxis::yes);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual");
    return x + attended;
}

}  // namespace headway::ex01
