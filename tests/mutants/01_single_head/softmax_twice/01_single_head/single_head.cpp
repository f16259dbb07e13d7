#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows takes a matrix");
    const Tensor z = exp(scores - max(scores, -1, KeepAxis::yes));
    return z / sum(z, -1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights takes matrices");
    if (q.size(-1) != k.size(-1)) throw std::invalid_argument("attention_weights: q and k must share d");
    return softmax_rows(matmul(q, k.transpose(-1, -2)) / std::sqrt(static_cast<float>(q.size(-1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention takes matrices");
    if (w_q.size(0) != x.size(-1) || w_k.size(0) != x.size(-1) || w_v.size(0) != x.size(-1))
        throw std::invalid_argument("single_head_attention: weights must be (D, ...)");

    const Tensor queries = matmul(x, w_q);
    const Tensor keys = matmul(x, w_k);
    const Tensor values = matmul(x, w_v);

    const Tensor scores = attention_weights(queries, keys);
    const Tensor weights = softmax_rows(scores);
    return matmul(weights, values);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual takes equal shapes");
    return x + attended;
}

}  // namespace headway::ex01
