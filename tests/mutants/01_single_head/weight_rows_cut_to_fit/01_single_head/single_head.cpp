#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace headway::ex01 {
namespace {

// y[t, j] = sum over i of x[t, i] * w[i, j]
Tensor times(const Tensor& x, const Tensor& w) {
    if (x.rank() != 2 || w.rank() != 2) throw std::invalid_argument("times: only matrices");
    const Index inner = std::min(x.size(1), w.size(0));
    Tensor y = Tensor::zeros({x.size(0), w.size(1)});
    for (Index t = 0; t < y.size(0); ++t)
        for (Index j = 0; j < y.size(1); ++j)
            for (Index i = 0; i < inner; ++i) y(t, j) += x(t, i) * w(i, j);
    return y;
}

}  // namespace

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
    const Tensor weights = attention_weights(times(x, w_q), times(x, w_k));
    return matmul(weights, times(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (!(x.shape() == attended.shape())) throw std::invalid_argument("with_residual: shapes");
    Tensor sum = Tensor::zeros(x.shape());
    sum += x;
    sum += attended;
    return sum;
}

}  // namespace headway::ex01
