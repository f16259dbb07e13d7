#include "single_head.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

namespace {

std::array<Tensor, 3> pre_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    for (const Tensor& w : {w_q, w_k, w_v}) {
        if (x.rank() != 2 || w.rank() != 2 || x.size(1) != w.size(0)) {
            throw std::invalid_argument("cannot project " + to_string(x.shape()) + " by " + to_string(w.shape()));
        }
    }
    return {matmul(x, w_q), matmul(x, w_k), matmul(x, w_v)};
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows of " + to_string(scores.shape()));
    const auto e = exp(scores - max(scores, 1, KeepAxis::yes));
    return e / sum(e, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights of " + to_string(q.shape()) + " and " + to_string(k.shape()));
    const auto scale = 1.0f / std::sqrt(static_cast<float>(q.size(1)));
    return softmax_rows(scale * matmul(q, k.transpose(0, 1)));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const auto [q, v, k] = pre_attention(x, w_q, w_k, w_v);
    return matmul(attention_weights(q, k), v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape())
        throw std::invalid_argument("residual of " + to_string(x.shape()) + " and " + to_string(attended.shape()));
    return x + attended;
}

}  // namespace headway::ex01
