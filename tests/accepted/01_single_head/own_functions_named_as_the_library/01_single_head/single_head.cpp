#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {
namespace {

Tensor matmul(const Tensor& a, const Tensor& b) {
    if (a.rank() != 2 || b.rank() != 2 || a.size(1) != b.size(0)) throw std::invalid_argument("matmul: bad shapes");
    Tensor c = Tensor::zeros({a.size(0), b.size(1)});
    for (Index p = 0; p < a.size(1); ++p)  // a sum of outer products
        for (Index i = 0; i < a.size(0); ++i)
            for (Index j = 0; j < b.size(1); ++j) c(i, j) += a(i, p) * b(p, j);
    return c;
}

Tensor exp(const Tensor& x) {
    Tensor y = Tensor::empty(x.shape());
    for (Index i = 0; i < x.size(0); ++i)
        for (Index j = 0; j < x.size(1); ++j) y(i, j) = std::exp(x(i, j));
    return y;
}

float max(const Tensor& row) {
    float m = row(0);
    for (Index i = 1; i < row.size(0); ++i) m = row(i) > m ? row(i) : m;
    return m;
}

float sum(const Tensor& row) {
    float s = 0;
    for (Index i = row.size(0) - 1; i >= 0; --i) s += row(i);  // backwards
    return s;
}

Tensor softmax(const Tensor& x) {
    Tensor shifted = Tensor::empty(x.shape());
    for (Index t = 0; t < x.size(0); ++t) shifted[t].copy_from(x[t] - max(x[t]));
    Tensor e = exp(shifted);
    for (Index t = 0; t < x.size(0); ++t) e[t] /= sum(e[t]);
    return e;
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: matrix expected");
    return softmax(scores);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: bad shapes");
    const float scale = std::sqrt(static_cast<float>(q.size(1)));
    return softmax(matmul(q, k.transpose(0, 1)) / scale);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.rank() != 2 || x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes differ");
    return x + attended;
}

}  // namespace headway::ex01
