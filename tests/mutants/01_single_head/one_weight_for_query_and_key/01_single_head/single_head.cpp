#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

struct Projections {
    Tensor q;
    Tensor k;
    Tensor v;
};

static Projections project(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("project: everything must have two axes");
    if (w_q.size(0) != x.size(1) || w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("project: weights must have as many rows as x has columns");
    if (w_q.size(1) != w_k.size(1)) throw std::invalid_argument("project: q and k must get the same width");
    return {.q = matmul(x, w_q), .k = matmul(x, w_q), .v = matmul(x, w_v)};
}

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: scores must have two axes");
    Tensor e = exp(scores - max(scores, 1, KeepAxis::yes));
    return e / sum(e, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: q and k must have two axes and the same width");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Projections p = project(x, w_q, w_k, w_v);
    return matmul(attention_weights(p.q, p.k), p.v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: different shapes");
    return x + attended;
}

}  // namespace headway::ex01
