#include "single_head.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex01 {
namespace {

void check(bool fits, const char* message) {
    if (!fits) throw std::invalid_argument(message);
}

// Row r of any matrix begins here; its elements lie m.strides()[1] apart.
const float* row_of(const Tensor& m, Index r) { return m.data() + r * m.strides()[0]; }

// x (T, D) · w (D, n)
Tensor project(const Tensor& x, const Tensor& w) {
    const Index T = x.size(0), D = x.size(1), n = w.size(1);
    const Index x_step = x.strides()[1], w_step = w.strides()[1];
    Tensor result = Tensor::zeros({T, n});
    for (Index t = 0; t < T; ++t) {
        const float* from = row_of(x, t);
        float* to = result.data() + t * n;
        for (Index i = 0; i < D; ++i) {
            const float factor = from[i * x_step];
            const float* line = row_of(w, i);
            for (Index j = 0; j < n; ++j) to[j] += factor * line[j * w_step];
        }
    }
    return result;
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    check(scores.rank() == 2, "softmax_rows: scores must be a matrix");
    const Index T = scores.size(0), S = scores.size(1), step = scores.strides()[1];
    Tensor weights = Tensor::empty({T, S});
    for (Index t = 0; t < T; ++t) {
        const float* from = row_of(scores, t);
        float* to = weights.data() + t * S;
        float largest = from[0];
        for (Index s = 1; s < S; ++s)
            if (from[s * step] > largest) largest = from[s * step];
        float total = 0;
        for (Index s = 0; s < S; ++s) total += to[s] = std::exp(from[s * step] - largest);
        for (Index s = 0; s < S; ++s) to[s] /= total;
    }
    return weights;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    check(q.rank() == 2 && k.rank() == 2, "attention_weights: q and k must be matrices");
    check(q.size(1) == k.size(1), "attention_weights: q and k must have one width");
    const Index T = q.size(0), S = k.size(0), d = q.size(1);
    const Index step = q.strides()[1];  // between the features of a token
    const float scale = 1.0F / std::sqrt(static_cast<float>(d));
    Tensor scores = Tensor::empty({T, S});
    for (Index t = 0; t < T; ++t) {
        const float* query = row_of(q, t);
        for (Index s = 0; s < S; ++s) {
            const float* key = row_of(k, s);
            float dot = 0;
            for (Index i = 0; i < d; ++i) dot += query[i * step] * key[i * step];
            scores.data()[t * S + s] = dot * scale;
        }
    }
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    check(x.rank() == 2 && w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2, "single_head_attention: matrices");
    check(w_q.size(0) == x.size(1), "single_head_attention: w_q needs D rows");
    check(w_k.size(0) == x.size(1), "single_head_attention: w_k needs D rows");
    check(w_v.size(0) == x.size(1), "single_head_attention: w_v needs D rows");
    check(w_q.size(1) == w_k.size(1), "single_head_attention: w_q and w_k need one width");
    const Tensor weights = attention_weights(project(x, w_q), project(x, w_k));  // (T, T), row-major
    const Tensor v = project(x, w_v);                                            // (T, d_v), row-major
    const Index T = x.size(0), d_v = v.size(1);
    Tensor context = Tensor::empty({T, d_v});
    for (Index t = 0; t < T; ++t) {
        std::vector<double> gathered(static_cast<std::size_t>(d_v), 0.0);
        for (Index s = 0; s < T; ++s) {
            const double weight = weights(t, s);
            for (Index j = 0; j < d_v; ++j) gathered[static_cast<std::size_t>(j)] += weight * v(s, j);
        }
        for (Index j = 0; j < d_v; ++j) context(t, j) = static_cast<float>(gathered[static_cast<std::size_t>(j)]);
    }
    return context;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    check(x.rank() == 2, "with_residual: x must be a matrix");
    check(x.shape() == attended.shape(), "with_residual: the shapes differ");
    const Index T = x.size(0), D = x.size(1);
    Tensor result = Tensor::empty({T, D});
    for (Index t = 0; t < T; ++t) {
        const float* token = row_of(x, t);
        const float* found = row_of(attended, t);
        for (Index i = 0; i < D; ++i)
            result.data()[t * D + i] = token[i * x.strides()[1]] + found[i * attended.strides()[1]];
    }
    return result;
}

}  // namespace headway::ex01
