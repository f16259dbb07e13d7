#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

namespace {

Tensor centred(const Tensor& rows) { return rows - mean(rows, -1, KeepAxis::yes); }

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    const Tensor e = exp(scores - max(scores, 1, KeepAxis::yes));
    return e / sum(e, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: widths");
    const float root = std::sqrt(static_cast<float>(q.size(1)));
    return softmax_rows(matmul(q, centred(k).transpose(0, 1)) / root);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("single_head_attention: x");
    for (const Tensor& w : {w_q, w_k, w_v})
        if (w.rank() != 2 || w.size(0) != x.size(1)) throw std::invalid_argument("single_head_attention: weight");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (attended.shape() != x.shape()) throw std::invalid_argument("with_residual: shapes");
    return x + attended;
}

}  // namespace headway::ex01
