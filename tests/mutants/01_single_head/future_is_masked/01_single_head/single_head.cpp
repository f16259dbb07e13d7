#include "single_head.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: expected (T, S)");
    Tensor att = exp(scores - max(scores, -1, KeepAxis::yes));
    return att / sum(att, -1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(-1) != k.size(-1))
        throw std::invalid_argument("attention_weights: expected (T, d) and (S, d)");
    Tensor att = matmul(q, k.transpose(-2, -1)) * (1.0f / std::sqrt(static_cast<float>(k.size(-1))));
    Mask future = Mask::allow_all(att.shape());
    for (Index i = 0; i < att.size(0); ++i)
        for (Index j = i + 1; j < att.size(1); ++j) future(i, j) = true;
    att = masked_fill(att, future, -std::numeric_limits<float>::infinity());
    return softmax_rows(att);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("single_head_attention: expected (T, D)");
    const Index n_embd = x.size(1);
    for (const auto& w : {w_q, w_k, w_v})
        if (w.rank() != 2 || w.size(0) != n_embd) throw std::invalid_argument("single_head_attention: expected (D, n)");
    Tensor att = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return matmul(att, matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: expected equal shapes");
    return x + attended;
}

}  // namespace headway::ex01
