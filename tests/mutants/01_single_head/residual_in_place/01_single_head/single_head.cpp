#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: scores have the wrong rank");
    const auto shifted = scores - max(scores, 1, KeepAxis::yes);
    const auto e = exp(shifted);
    return e / sum(e, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: q, k have the wrong rank");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: q, k have different widths");
    auto scores = matmul(q, k.transpose(0, 1));
    scores *= std::pow(static_cast<float>(q.size(1)), -0.5f);
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: something has the wrong rank");
    const auto D = x.size(1);
    if (w_q.size(0) != D || w_k.size(0) != D || w_v.size(0) != D)
        throw std::invalid_argument("single_head_attention: a weight has the wrong number of rows");
    const auto context = matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
    return context;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes are different");
    Tensor result = x;  // a copy
    result += attended;
    return result;
}

}  // namespace headway::ex01
