#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: rank");
    Tensor out = Tensor::empty(scores.shape());
    out.copy_from(scores);
    const Index S = out.size(1);
    for (Index t = 0; t < out.size(0); ++t) {
        float* row = out.data() + t * S;
        const float top = *std::max_element(row, row + S);
        for (float* p = row; p != row + S; ++p) *p = std::exp(*p - top);
        const float total = std::accumulate(row, row + S, 0.0F);
        for (float* p = row; p != row + S; ++p) *p /= total;
    }
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: shapes");
    const Tensor q_dense = q.contiguous();
    const Tensor k_dense = k.contiguous();
    const Index d = q.size(1);
    Tensor scores = Tensor::empty({q.size(0), k.size(0)});
    for (Index t = 0; t < q.size(0); ++t)
        for (Index s = 0; s < k.size(0); ++s) {
            const float* a = q_dense.data() + t * d;
            const float* b = k_dense.data() + s * d;
            scores(t, s) = std::inner_product(a, a + d, b, 0.0F) / std::sqrt(static_cast<float>(d));
        }
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: only matrices");
    const Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    const Tensor v = matmul(x, w_v);
    const Index S = weights.size(1);
    Tensor out = Tensor::zeros({x.size(0), v.size(1)});
    for (Index t = 0; t < out.size(0); ++t)
        for (Index j = 0; j < out.size(1); ++j) {
            for (Index s = 0; s < S; ++s) out(t, j) += v(s, j);
            out(t, j) /= static_cast<float>(S);
        }
    return out;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (!(x.shape() == attended.shape())) throw std::invalid_argument("with_residual: shapes");
    Tensor sum = Tensor::zeros(x.shape());
    sum += x;
    sum += attended;
    return sum;
}

}  // namespace headway::ex01
