#include "single_head.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex01 {

static Tensor project(const Tensor& x, const Tensor& w) {
    if (x.rank() != 2 || w.rank() != 2) throw std::invalid_argument("project: two matrices");
    const auto width = static_cast<std::size_t>(w.size(1));
    std::vector<float> y(static_cast<std::size_t>(x.size(0)) * width);
    std::size_t at = 0;
    for (Index t = 0; t < x.size(0); ++t) {
        for (Index o = 0; o < w.size(1); ++o) {
            double total = 0;
            for (Index i = 0; i < x.size(1); ++i) {
                if (i >= w.size(0)) throw std::invalid_argument("project: the weight has too few rows");
                total += static_cast<double>(x(t, i)) * static_cast<double>(w(i, o));
            }
            y[at++] = static_cast<float>(total);
        }
    }
    return Tensor::of({x.size(0), w.size(1)}, y);
}

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: one matrix");
    Tensor p = exp(scores - max(scores, 1, KeepAxis::yes));
    return p / sum(p, 1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: two matrices of the same width");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Tensor q = project(x, w_q);
    const Tensor k = project(x, w_k);
    const Tensor v = project(x, w_v);
    return matmul(attention_weights(q, k), v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: two matrices of the same shape");
    return x + attended;
}

}  // namespace headway::ex01
