#include "single_head.hpp"

#include <headway/eigen.hpp>

#include <cmath>

namespace headway::ex01 {

static void need(bool ok, const char* why) {
    if (!ok) throw std::invalid_argument(why);
}

Tensor softmax_rows(const Tensor& scores) {
    need(scores.rank() == 2, "softmax_rows: a matrix is needed");
    Tensor out = Tensor::empty(scores.shape());
    auto from = as_eigen(scores);
    auto to = as_eigen(out);
    for (Eigen::Index row = 0; row < from.rows(); ++row) {
        to.row(row) = (from.row(row).array() - from.row(row).maxCoeff()).exp().matrix();
        to.row(row) /= to.row(row).sum();
    }
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    need(q.rank() == 2 && k.rank() == 2 && q.size(1) == k.size(1), "attention_weights: widths of q and k differ");
    const auto keys = as_eigen(k);
    Tensor scores = Tensor::empty({q.size(0), k.size(0)});
    as_eigen(scores) = as_eigen(q) * keys.transpose() / std::sqrt(static_cast<float>(keys.rows()));
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    need(x.rank() == 2, "x must be (T, D)");
    for (const Tensor* w : {&w_q, &w_k, &w_v})
        need(w->rank() == 2 && w->size(0) == x.size(1), "a weight must have D rows");

    Tensor q = Tensor::empty({x.size(0), w_q.size(1)});
    Tensor k = Tensor::empty({x.size(0), w_k.size(1)});
    as_eigen(q) = as_eigen(x) * as_eigen(w_q);
    as_eigen(k) = as_eigen(x) * as_eigen(w_k);
    const Tensor weights = attention_weights(q, k);

    Tensor out = Tensor::empty({x.size(0), w_v.size(1)});
    as_eigen(out) = as_eigen(weights) * (as_eigen(x) * as_eigen(w_v));
    return out;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    need(x.shape() == attended.shape(), "with_residual: shapes differ");
    return x + attended;
}

}  // namespace headway::ex01
