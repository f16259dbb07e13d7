#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: (T, S) expected");
    Tensor shifted = scores - max(scores, 1, KeepAxis::yes);
    Tensor e = exp(shifted);
    return e / sum(e, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(-1) != k.size(-1))
        throw std::invalid_argument("attention_weights: q is " + to_string(q.shape()) + ", k is " +
                                    to_string(k.shape()));
    const float scale = 1.0F / std::sqrt(static_cast<float>(q.size(-1)));
    return softmax_rows(matmul(q * scale, k.transpose(0, 1)));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_v.rank() != 2) throw std::invalid_argument("single_head_attention: matrices expected");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.rank() != 2 || x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes differ");
    return x + attended;
}

}  // namespace headway::ex01
