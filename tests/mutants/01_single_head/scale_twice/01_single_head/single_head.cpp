#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows needs (T, S)");
    auto row_max = max(scores, 1, KeepAxis::yes);
    auto log_sum = log(sum(exp(scores - row_max), 1, KeepAxis::yes));
    return exp(scores - row_max - log_sum);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(-1) != k.size(-1))
        throw std::invalid_argument("attention_weights needs (T, d) and (S, d)");
    auto d = static_cast<float>(q.size(-1));
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(d));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    for (const auto& w : {w_q, w_k, w_v})
        if (x.rank() != 2 || w.rank() != 2 || w.size(0) != x.size(1))
            throw std::invalid_argument("single_head_attention: a weight does not have D rows");

    // Scaling q is cheaper than scaling the (T, T) scores.
    auto q = matmul(x, w_q) * std::pow(static_cast<float>(w_q.size(1)), -0.5f);
    auto k = matmul(x, w_k);
    auto v = matmul(x, w_v);
    return matmul(attention_weights(q, k), v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual needs equal shapes");
    return x + attended;
}

}  // namespace headway::ex01
