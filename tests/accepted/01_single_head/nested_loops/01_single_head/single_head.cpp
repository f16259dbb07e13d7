#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

static void need_matrix(const Tensor& x, const char* name) {
    if (x.rank() != 2) throw std::invalid_argument(std::string(name) + " must be a matrix");
}

static Tensor times(const Tensor& a, const Tensor& b) {
    if (a.size(1) != b.size(0)) throw std::invalid_argument("inner sizes differ");
    Tensor c = Tensor::zeros({a.size(0), b.size(1)});
    for (Index i = 0; i < a.size(0); ++i)
        for (Index j = 0; j < b.size(1); ++j)
            for (Index p = 0; p < a.size(1); ++p) c(i, j) += a(i, p) * b(p, j);
    return c;
}

Tensor softmax_rows(const Tensor& scores) {
    need_matrix(scores, "scores");
    const Index T = scores.size(0), S = scores.size(1);
    Tensor w = Tensor::zeros({T, S});
    for (Index t = 0; t < T; ++t) {
        float biggest = -INFINITY;
        for (Index s = 0; s < S; ++s)
            if (scores(t, s) > biggest) biggest = scores(t, s);
        float total = 0;
        for (Index s = 0; s < S; ++s) {
            w(t, s) = std::exp(scores(t, s) - biggest);
            total += w(t, s);
        }
        for (Index s = 0; s < S; ++s) w(t, s) /= total;
    }
    return w;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    need_matrix(q, "q");
    need_matrix(k, "k");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("q and k must have the same width");
    const Index d = q.size(1);
    Tensor scores = Tensor::zeros({q.size(0), k.size(0)});
    for (Index t = 0; t < q.size(0); ++t)
        for (Index s = 0; s < k.size(0); ++s) {
            for (Index i = 0; i < d; ++i) scores(t, s) += q(t, i) * k(s, i);
            scores(t, s) /= std::sqrt(static_cast<float>(d));
        }
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    need_matrix(x, "x");
    need_matrix(w_q, "w_q");
    need_matrix(w_k, "w_k");
    need_matrix(w_v, "w_v");
    return times(attention_weights(times(x, w_q), times(x, w_k)), times(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    need_matrix(x, "x");
    if (x.shape() != attended.shape()) throw std::invalid_argument("x and attended must have the same shape");
    Tensor y = Tensor::empty(x.shape());
    for (Index t = 0; t < x.size(0); ++t)
        for (Index i = 0; i < x.size(1); ++i) y(t, i) = x(t, i) + attended(t, i);
    return y;
}

}  // namespace headway::ex01
