#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex01 {
namespace {

Tensor project(const Tensor& x, const Tensor& w) {
    if (x.rank() != 2 || w.rank() != 2 || x.size(1) != w.size(0))
        throw std::invalid_argument("cannot project " + to_string(x.shape()) + " with " + to_string(w.shape()));
    Tensor y = Tensor::zeros({x.size(0), w.size(1)});
    for (Index t = 0; t < x.size(0); ++t)
        for (Index i = 0; i < w.size(0); ++i)
            for (Index j = 0; j < w.size(1); ++j) y(t, j) += x(t, i) * w(i, j);
    return y;
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("scores is no matrix");
    const Index T = scores.size(0);
    const Index S = scores.size(1);
    Tensor w = Tensor::zeros({T, S});
    for (Index t = 0; t < T; ++t) {
        float biggest = -std::numeric_limits<float>::infinity();
        for (Index s = 0; s < S; ++s) biggest = std::max(biggest, scores(t, s));
        float denominator = 0.0F;
        for (Index s = 0; s < S; ++s) {
            w(t, s) = std::exp(scores(t, s) - biggest);
            denominator += w(t, s);
        }
        for (Index s = 0; s < S; ++s) w(t, s) /= denominator;
    }
    return w;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(-1) != k.size(-1)) throw std::invalid_argument("q and k do not fit");
    const float root = std::sqrt(static_cast<float>(q.size(1)));
    Tensor scores = Tensor::zeros({q.size(0), k.size(0)});
    for (Index t = 0; t < q.size(0); ++t)
        for (Index s = 0; s < k.size(0); ++s)
            for (Index i = 0; i < q.size(1); ++i) {
                scores(t, s) += q(t, i) * k(s, i);
                scores(t, s) /= root;
            }
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Tensor v = project(x, w_v);
    const Tensor w = attention_weights(project(x, w_q), project(x, w_k));
    Tensor y = Tensor::zeros({x.size(0), v.size(1)});
    for (Index t = 0; t < w.size(0); ++t)
        for (Index s = 0; s < w.size(1); ++s)
            for (Index j = 0; j < v.size(1); ++j) y(t, j) += w(t, s) * v(s, j);
    return y;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.rank() != 2 || x.shape() != attended.shape()) throw std::invalid_argument("x and attended must be alike");
    Tensor y = Tensor::empty(x.shape());
    for (Index t = 0; t < x.size(0); ++t)
        for (Index i = 0; i < x.size(1); ++i) y(t, i) = x(t, i) + attended(t, i);
    return y;
}

}  // namespace headway::ex01
