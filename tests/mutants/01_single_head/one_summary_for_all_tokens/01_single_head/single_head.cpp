#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: scores are no matrix");
    const Tensor p = exp(scores - max(scores, 1, KeepAxis::yes));
    return p / sum(p, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: q or k is no matrix");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: q and k are not of the same width");
    const Tensor scores = matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1)));
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: some argument is no matrix");
    if (w_q.size(0) != x.size(1) || w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("single_head_attention: some weight has not D rows");
    const Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    const Tensor context = matmul(weights, matmul(x, w_v));
    // one meaning for the whole sentence
    const Tensor summary = mean(context, 0, KeepAxis::yes);
    return Tensor::zeros(context.shape()) + summary;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes do not agree");
    return x + attended;
}

}  // namespace headway::ex01
