#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: rank");
    auto e = exp(scores - max(scores, 1, KeepAxis::yes));
    return e / sum(e, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: rank");
    auto width = static_cast<float>(q.size(1));
    // matmul refuses different widths
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(width));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: rank");
    auto weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return matmul(weights, matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) { return x + attended; }

}  // namespace headway::ex01
