#include "single_head.hpp"

#include <Eigen/Dense>

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

using Eigen::MatrixXf;  // column-major

static MatrixXf load(const Tensor& t) {
    if (t.rank() != 2) throw std::invalid_argument("not a matrix: " + to_string(t.shape()));
    using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    return Eigen::Map<const MatrixXf, 0, Stride>(t.data(), t.size(0), t.size(1),
                                                 Stride(t.strides()[1], t.strides()[0]));
}

static Tensor store(const MatrixXf& m) {
    Tensor t = Tensor::empty({m.rows(), m.cols()});
    using RowMajor = Eigen::Matrix<float, -1, -1, Eigen::RowMajor>;
    Eigen::Map<RowMajor>(t.data(), m.rows(), m.cols()) = m;
    return t;
}

static MatrixXf softmax(const MatrixXf& scores) {
    MatrixXf out(scores.rows(), scores.cols());
    for (Eigen::Index r = 0; r < scores.rows(); ++r) {
        const Eigen::ArrayXf e = (scores.row(r).array() - scores.row(r).maxCoeff()).exp();
        out.row(r) = (e / e.sum()).matrix();
    }
    return out;
}

Tensor softmax_rows(const Tensor& scores) { return store(softmax(load(scores))); }

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    const MatrixXf Q = load(q), K = load(k);
    if (Q.cols() != K.cols()) throw std::invalid_argument("widths of q and k differ");
    return store(softmax(Q * K.transpose() / std::sqrt(float(Q.cols()))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const MatrixXf X = load(x), Q = load(w_q), K = load(w_k), V = load(w_v);
    if (Q.rows() != X.cols() || K.rows() != X.cols() || V.rows() != X.cols() || Q.cols() != K.cols())
        throw std::invalid_argument("weights do not fit x");
    const MatrixXf weights = load(attention_weights(store(X * Q), store(X * K)));
    return store(weights * (X * V));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("shapes differ");
    return store(load(x) + load(attended));
}

}  // namespace headway::ex01
