#include "single_head.hpp"

#include <headway/eigen.hpp>

#include <cmath>

namespace headway::ex01 {

using M = EigenMatrix;

Tensor softmax_rows(const Tensor& scores) {
    const auto in = as_eigen(scores);
    Tensor result = Tensor::empty(scores.shape());
    auto out = as_eigen(result);
    out = (in.colwise() - in.rowwise().maxCoeff()).array().exp().matrix();
    const Eigen::VectorXf z = out.rowwise().sum();
    for (Eigen::Index t = 0; t < out.rows(); ++t) out.row(t) /= z(t);
    return result;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: q and k must have the same width");
    Tensor scores = Tensor::empty({q.size(0), k.size(0)});
    as_eigen(scores).noalias() = as_eigen(q) * as_eigen(k).transpose();
    scores /= std::sqrt(static_cast<float>(k.size(1)));
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const auto project = [X = as_eigen(x)](const Tensor& w) {
        const auto W = as_eigen(w);
        if (W.rows() != X.cols()) throw std::invalid_argument("single_head_attention: the weights need D rows");
        Tensor y = Tensor::empty({X.rows(), W.cols()});
        as_eigen(y).noalias() = X * W;
        return y;
    };
    const Tensor q = project(w_q);
    const Tensor k = project(w_k);
    Tensor v = project(w_v);
    const M weights = as_eigen(attention_weights(q, k));
    v = k;
    Tensor context = Tensor::empty(v.shape());
    as_eigen(context) = weights * as_eigen(v);
    return context;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: the shapes must be the same");
    return x + attended;
}

}  // namespace headway::ex01
