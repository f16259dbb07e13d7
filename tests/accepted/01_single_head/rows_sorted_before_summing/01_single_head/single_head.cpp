#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace headway::ex01 {

namespace {

/// exp(scores - largest of the row), and the sum of each row (T, 1), added up from the smallest number.
struct Raised {
    Tensor exponentials, totals;
};

Raised raise(const Tensor& scores) {
    Raised r{exp(scores - max(scores, -1, KeepAxis::yes)), Tensor::zeros({scores.size(0), 1})};
    for (Index t = 0; t < scores.size(0); ++t) {
        std::vector<float> row;
        for (Index s = 0; s < scores.size(1); ++s) row.push_back(r.exponentials(t, s));
        std::sort(row.begin(), row.end());
        r.totals(t, 0) = std::accumulate(row.begin(), row.end(), 0.0F);
    }
    return r;
}

Tensor scaled(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("q and k differ in width");
    return matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(k.size(1)));
}

Tensor projected(const Tensor& x, const Tensor& w) {
    if (x.rank() != 2 || w.rank() != 2 || x.size(1) != w.size(0)) throw std::invalid_argument("w needs D rows");
    return matmul(x, w);
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    const auto [exponentials, totals] = raise(scores);
    return exponentials / totals;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) { return softmax_rows(scaled(q, k)); }

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const auto [exponentials, totals] = raise(scaled(projected(x, w_q), projected(x, w_k)));
    return matmul(exponentials, projected(x, w_v)) / totals;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("x and attended differ in shape");
    return x + attended;
}

}  // namespace headway::ex01
