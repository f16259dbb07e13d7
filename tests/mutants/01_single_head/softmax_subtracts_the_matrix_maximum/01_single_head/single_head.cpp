#include "single_head.hpp"

#include <headway/eigen.hpp>

#include <cmath>

namespace headway::ex01 {

using Eigen::ArrayXf;
using Matrix = EigenMatrix;

Tensor to_tensor(const Matrix& m);

Tensor to_tensor(const Matrix& m) {
    Tensor t = Tensor::empty({m.rows(), m.cols()});
    as_eigen(t) = m;
    return t;
}

Tensor softmax_rows(const Tensor& scores) {
    Matrix e = as_eigen(scores);
    e = (e.array() - e.maxCoeff()).exp();
    const ArrayXf sums = e.rowwise().sum().array();
    e.array().colwise() /= sums;
    return to_tensor(e);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    const Matrix queries = as_eigen(q);
    const Matrix keys = as_eigen(k);
    if (queries.cols() != keys.cols()) throw std::invalid_argument("the widths of q and k differ");
    const Matrix scores = queries * keys.transpose();
    return softmax_rows(to_tensor(scores / std::sqrt(static_cast<float>(keys.cols()))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Matrix input = as_eigen(x);
    const Matrix wq = as_eigen(w_q), wk = as_eigen(w_k), wv = as_eigen(w_v);
    if (wq.rows() != input.cols() || wk.rows() != input.cols() || wv.rows() != input.cols())
        throw std::invalid_argument("a weight has the wrong number of rows");
    const Tensor weights = attention_weights(to_tensor(input * wq), to_tensor(input * wk));
    return to_tensor(as_eigen(weights) * input * wv);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("the shapes of x and attended differ");
    return x + attended;
}

}  // namespace headway::ex01
