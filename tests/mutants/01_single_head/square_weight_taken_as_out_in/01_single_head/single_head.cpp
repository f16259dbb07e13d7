#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {
namespace {

// Works for both conventions, (in, out) and torch's (out, in)
Tensor linear(const Tensor& x, const Tensor& w) {
    if (w.size(1) == x.size(1)) return matmul(x, w.transpose(0, 1));
    if (w.size(0) == x.size(1)) return matmul(x, w);
    throw std::invalid_argument("linear: " + to_string(x.shape()) + " does not fit " + to_string(w.shape()));
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    const Tensor e = exp(scores - max(scores, -1, KeepAxis::yes));
    return e / sum(e, -1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(float(k.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Tensor q = linear(x, w_q);
    const Tensor k = linear(x, w_k);
    const Tensor v = linear(x, w_v);
    return matmul(attention_weights(q, k), v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual");
    return x + attended;
}

}  // namespace headway::ex01
