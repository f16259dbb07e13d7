#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

namespace {
void expect_rank_2(std::initializer_list<Tensor> tensors) {
    for (const auto& t : tensors)
        if (t.rank() != 2) throw std::invalid_argument("rank 2 expected, got shape " + to_string(t.shape()));
}
}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    expect_rank_2({scores});
    Tensor result = Tensor::empty(scores.shape());
    for (Index t = 0; t < scores.size(0); ++t) {
        Tensor row = exp(scores[t] - max(scores[t], 0));
        row /= sum(row, 0);
        result[t].copy_from(row);
    }
    return result;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    expect_rank_2({q, k});
    if (q.size(1) != k.size(1)) throw std::invalid_argument("q and k have different widths");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt((float)q.size(1)));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    expect_rank_2({x, w_q, w_k, w_v});
    const Tensor scaled_w_q = w_q / std::sqrt((float)w_q.size(1));
    const Tensor scores = matmul(matmul(x, scaled_w_q), matmul(x, w_k).transpose(0, 1));
    return matmul(softmax_rows(scores), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    expect_rank_2({x, attended});
    if (x.shape() != attended.shape()) throw std::invalid_argument("shapes differ");
    return attended + x;
}

}  // namespace headway::ex01
