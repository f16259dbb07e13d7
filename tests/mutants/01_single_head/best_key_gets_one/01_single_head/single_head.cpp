#include "single_head.hpp"

#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2)
        throw std::invalid_argument("softmax_rows expects (T, S), got " + to_string(scores.shape()));
    const Tensor e = exp(scores - max(scores, 1, KeepAxis::yes));
    const Tensor z = max(e, 1, KeepAxis::yes);
    return e / z;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights expects two matrices");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: q and k have different widths");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("single_head_attention: x must be (T, D)");
    const Index D = x.size(1);
    for (const Tensor& w : {w_q, w_k, w_v})
        if (w.rank() != 2 || w.size(0) != D)
            throw std::invalid_argument("single_head_attention: a weight needs D rows");
    const Tensor q = matmul(x, w_q);
    const Tensor k = matmul(x, w_k);
    const Tensor v = matmul(x, w_v);
    return matmul(attention_weights(q, k), v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes differ");
    return x + attended;
}

}  // namespace headway::ex01
