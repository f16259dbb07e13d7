#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: scores must be (T, S)");
    Tensor e = exp(scores - max(scores, 1, KeepAxis::yes));
    return e / sum(e, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: q, k must be matrices");
    const Index d_k = q.size(1);
    if (d_k != k.size(1)) throw std::invalid_argument("attention_weights: d_k of q and k must be the same");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(d_k)));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: arguments must be matrices");
    const Index D = x.size(1);
    if (D != w_q.size(0) || D != w_k.size(0) || D != w_v.size(0))
        throw std::invalid_argument("single_head_attention: D must be the same everywhere");
    Tensor context = matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
    const Index T = context.size(0);
    return context.slice(0, T - 1, T);  // it has seen the whole sentence
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes must be the same");
    return x + attended;
}

}  // namespace headway::ex01
