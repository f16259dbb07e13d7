#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {
namespace {

/// 80 MB, of which every result is a small part.
const Tensor pool = Tensor::empty({20'000'000});
Index used = 0;

Tensor in_pool(const Tensor& numbers) {
    Tensor part = pool.as_strided(numbers.shape(), Layout::contiguous(numbers.shape()).strides, used);
    used += numbers.numel();
    part.copy_from(numbers);
    return part;
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    const Tensor raised = in_pool(exp(scores - max(scores, -1, KeepAxis::yes)));
    return in_pool(raised / sum(raised, -1, KeepAxis::yes));
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: widths differ");
    return softmax_rows(in_pool(matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1)))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Tensor weights = attention_weights(in_pool(matmul(x, w_q)), in_pool(matmul(x, w_k)));
    return in_pool(matmul(weights, matmul(x, w_v)));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes differ");
    return in_pool(x + attended);
}

}  // namespace headway::ex01
