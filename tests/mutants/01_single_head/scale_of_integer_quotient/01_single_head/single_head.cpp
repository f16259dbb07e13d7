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
    const Index d = q.size(1);
    const double scale = std::sqrt(1 / d);
    return softmax_rows(matmul(q, k.transpose(0, 1)) * static_cast<float>(scale));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: only matrices");
    // matmul refuses what does not fit
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (!(x.shape() == attended.shape())) throw std::invalid_argument("with_residual: shapes");
    Tensor sum = Tensor::zeros(x.shape());
    sum += x;
    sum += attended;
    return sum;
}

}  // namespace headway::ex01
