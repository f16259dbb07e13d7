#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows wants a matrix");
    Tensor e = exp(scores - max(scores, 1, KeepAxis::yes));
    return e / sum(e, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights wants two matrices");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("q and k have different widths");
    float d = static_cast<float>(q.size(1));
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(d));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("everything must be a matrix");
    Index C = x.size(1);
    if (w_q.size(0) != C || w_k.size(0) != C || w_v.size(0) != C)
        throw std::invalid_argument("the weights need as many rows as x has columns");
    if (w_q.size(1) != w_k.size(1)) throw std::invalid_argument("w_q and w_k have different widths");

    Tensor q = matmul(x, w_q);
    Tensor k = matmul(x, w_k);
    Tensor v = matmul(x, w_v);
    Tensor wei = matmul(q, k.transpose(-2, -1)) * (1.0f / std::sqrt(static_cast<float>(C)));
    wei = softmax_rows(wei);
    return matmul(wei, v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("shapes differ");
    return x + attended;
}

}  // namespace headway::ex01
