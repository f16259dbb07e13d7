#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

static void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

Tensor softmax_rows(const Tensor& scores) {
    require(scores.rank() == 2, "scores must be of rank 2");
    Tensor w = exp(scores - max(scores, -1, KeepAxis::yes));
    w /= sum(w, -1, KeepAxis::yes);
    return w;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    require(q.rank() == 2 && k.rank() == 2, "q and k must be of rank 2");
    require(q.size(1) == k.size(1), "q and k must be of the same width");
    const Tensor scores = matmul(q, k.transpose(0, 1));
    return softmax_rows(scores / std::sqrt(static_cast<float>(k.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    require(x.rank() == 2, "x must be of rank 2");
    require(w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2, "weights must be of rank 2");
    require(w_q.size(0) == x.size(1) && w_k.size(0) == x.size(1) && w_v.size(0) == x.size(1), "weights must fit x");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    require(x.shape() == attended.shape(), "x and attended must be of the same shape");
    Tensor y = x;
    y = attended;
    y = y + y;
    return y;
}

}  // namespace headway::ex01
