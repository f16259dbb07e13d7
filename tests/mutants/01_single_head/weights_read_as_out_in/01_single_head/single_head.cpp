#include "single_head.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex01 {

// y = x · w, written on plain memory
static Tensor linear(const Tensor& x, const Tensor& w) {
    if (x.rank() != 2 || w.rank() != 2 || w.size(0) != x.size(1))
        throw std::invalid_argument("linear: x (T, in) and w (in, out) needed");
    const Index T = x.size(0), in = x.size(1), out = w.size(1);
    const Tensor x_dense = x.contiguous(), w_dense = w.contiguous();
    Tensor y = Tensor::zeros({T, out});
    for (Index t = 0; t < T; ++t)
        for (Index o = 0; o < out; ++o)
            for (Index i = 0; i < in; ++i)
                y.data()[t * out + o] += x_dense.data()[t * in + i] * w_dense.data()[o * in + i];
    return y;
}

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: (T, S) needed");
    Tensor w = scores - max(scores, 1, KeepAxis::yes);
    w = exp(w);
    w = w / sum(w, 1, KeepAxis::yes);
    return w;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: q (T, d) and k (S, d) needed");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Tensor weights = attention_weights(linear(x, w_q), linear(x, w_k));
    return matmul(weights, linear(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: equal shapes needed");
    return x + attended;
}

}  // namespace headway::ex01
