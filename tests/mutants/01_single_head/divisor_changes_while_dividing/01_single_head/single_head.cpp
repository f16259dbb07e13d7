#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex01 {
namespace {

bool is_matrix(const Tensor& tensor) { return tensor.defined() && tensor.rank() == 2; }

// a (M, K), b (K, N) -> (M, N)
Tensor product(const Tensor& a, const Tensor& b) {
    Tensor result = Tensor::empty({a.size(0), b.size(1)});
    for (Index m = 0; m < a.size(0); ++m) {
        for (Index n = 0; n < b.size(1); ++n) {
            double total = 0;
            for (Index i = 0; i < a.size(1); ++i) total += static_cast<double>(a(m, i)) * b(i, n);
            result(m, n) = static_cast<float>(total);
        }
    }
    return result;
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    if (!is_matrix(scores)) throw std::invalid_argument("softmax_rows needs a matrix");
    const Index T = scores.size(0);
    const Index S = scores.size(1);
    Tensor weights = Tensor::empty({T, S});
    for (Index t = 0; t < T; ++t) {
        float largest = scores(t, 0);
        for (Index s = 1; s < S; ++s) largest = std::max(largest, scores(t, s));
        for (Index s = 0; s < S; ++s) weights(t, s) = std::exp(scores(t, s) - largest);
        const auto total = [&] {
            double result = 0;
            for (Index s = 0; s < S; ++s) result += weights(t, s);
            return result;
        };
        for (Index s = 0; s < S; ++s) weights(t, s) = static_cast<float>(weights(t, s) / total());
    }
    return weights;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (!is_matrix(q) || !is_matrix(k)) throw std::invalid_argument("attention_weights needs matrices");
    const Index T = q.size(0);
    const Index S = k.size(0);
    const Index d = q.size(1);
    if (k.size(1) != d) throw std::invalid_argument("attention_weights: the widths of q and k differ");
    const double root = std::sqrt(static_cast<double>(d));
    Tensor scores = Tensor::empty({T, S});
    for (Index t = 0; t < T; ++t) {
        for (Index s = 0; s < S; ++s) {
            double dot = 0;
            for (Index i = 0; i < d; ++i) dot += static_cast<double>(q(t, i)) * k(s, i);
            scores(t, s) = static_cast<float>(dot / root);
        }
    }
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (!is_matrix(x) || !is_matrix(w_q) || !is_matrix(w_k) || !is_matrix(w_v))
        throw std::invalid_argument("single_head_attention needs matrices");
    const Index D = x.size(1);
    if (w_q.size(0) != D || w_k.size(0) != D || w_v.size(0) != D)
        throw std::invalid_argument("single_head_attention: a weight does not have D rows");
    if (w_q.size(1) != w_k.size(1)) throw std::invalid_argument("single_head_attention: w_q and w_k differ in width");
    const Tensor weights = attention_weights(product(x, w_q), product(x, w_k));
    return product(weights, product(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (!is_matrix(x) || !is_matrix(attended)) throw std::invalid_argument("with_residual needs matrices");
    if (x.size(0) != attended.size(0) || x.size(1) != attended.size(1))
        throw std::invalid_argument("with_residual: the shapes differ");
    Tensor result = Tensor::empty(x.shape());
    for (Index t = 0; t < x.size(0); ++t)
        for (Index i = 0; i < x.size(1); ++i) result(t, i) = x(t, i) + attended(t, i);
    return result;
}

}  // namespace headway::ex01
