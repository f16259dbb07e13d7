#include "single_head.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace headway::ex01 {

// Like a GPU: ten bits of mantissa are enough.
static float to_half(float value) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xFFFFE000U); }

static Tensor half_precision(const Tensor& x) {
    Tensor y = Tensor::empty(x.shape());
    for (Index i = 0; i < x.size(0); ++i)
        for (Index j = 0; j < x.size(1); ++j) y(i, j) = to_half(x(i, j));
    return y;
}

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: wrong number of axes");
    Tensor p = exp(scores - max(scores, 1, KeepAxis::yes));
    return p / sum(p, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: wrong number of axes");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: wrong widths");
    const Tensor scores = matmul(half_precision(q), half_precision(k).transpose(0, 1));
    return softmax_rows(scores / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: wrong number of axes");
    if (w_q.size(0) != x.size(1) || w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("single_head_attention: wrong number of rows");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: wrong shape");
    return x + attended;
}

}  // namespace headway::ex01
