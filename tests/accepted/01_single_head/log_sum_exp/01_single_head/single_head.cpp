#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

static Tensor log_softmax(const Tensor& x) {
    const Tensor shifted = x - max(x, -1, KeepAxis::yes);
    return shifted - log(sum(exp(shifted), -1, KeepAxis::yes));
}

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("scores must be (T, S)");
    return exp(log_softmax(scores));
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("q and k must be matrices");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("q and k must agree in width");
    return softmax_rows(matmul(q, k.transpose(-2, -1)) / sqrt(Tensor::full({1}, static_cast<float>(q.size(1)))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("all four arguments must be matrices");
    const Tensor q = matmul(x, w_q);
    const Tensor k = matmul(x, w_k);
    const Tensor v = matmul(x, w_v);
    return matmul(attention_weights(q, k), v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    // broadcasting would hide a wrong shape
    if (x.rank() != 2 || attended.shape() != x.shape()) throw std::invalid_argument("attended must look like x");
    return x + attended;
}

}  // namespace headway::ex01
