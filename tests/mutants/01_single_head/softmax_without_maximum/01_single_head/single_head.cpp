#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows");
    Tensor e = exp(scores);
    return e / sum(e, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights");
    float fourth_root = std::pow(static_cast<float>(q.size(1)), 0.25f);
    return softmax_rows(matmul(q / fourth_root, (k / fourth_root).transpose(0, 1)));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("single_head_attention: x");
    Index D = x.size(1);
    if (w_q.rank() != 2 || w_q.size(0) != D) throw std::invalid_argument("single_head_attention: w_q");
    if (w_k.rank() != 2 || w_k.size(0) != D) throw std::invalid_argument("single_head_attention: w_k");
    if (w_v.rank() != 2 || w_v.size(0) != D) throw std::invalid_argument("single_head_attention: w_v");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual");
    return x + attended;
}

}  // namespace headway::ex01
