#include "single_head.hpp"

#include <Eigen/Dense>

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

namespace {

using Mat = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Mat to_eigen(const Tensor& t) {
    Mat m(t.size(0), t.size(1));
    for (Index r = 0; r < m.rows(); ++r)
        for (Index c = 0; c < m.cols(); ++c) m(r, c) = t(r, c);
    return m;
}

Tensor from_eigen(const Mat& m) {
    Tensor t = Tensor::zeros({m.rows(), m.cols()});
    for (Index r = 0; r < m.rows(); ++r)
        for (Index c = 0; c < m.cols(); ++c) t(r, c) = m(r, c);
    return t;
}

void check(bool fine, const char* message) {
    if (!fine) throw std::invalid_argument(message);
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    check(scores.rank() == 2, "softmax_rows wants a matrix");
    Mat m = to_eigen(scores);
    for (Index r = 0; r < m.rows(); ++r) {
        m.row(r) = (m.row(r).array() - m.row(r).maxCoeff()).exp().matrix().eval();
        m.row(r) /= m.row(r).sum();
    }
    return from_eigen(m);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    check(q.rank() == 2 && k.rank() == 2 && q.size(1) == k.size(1), "attention_weights wants (T, d) and (S, d)");
    const Mat scores = to_eigen(q) * to_eigen(k).transpose() / std::sqrt(static_cast<float>(q.size(1)));
    return softmax_rows(from_eigen(scores));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    check(x.rank() == 2, "single_head_attention wants a matrix x");
    for (const Tensor& w : {w_q, w_k, w_v})
        check(w.rank() == 2 && w.size(0) == x.size(1), "single_head_attention wants weights of (D, d)");
    const Mat tokens = to_eigen(x);
    // T + 1 rows: the same buffer could hold a start token
    const Eigen::Map<const Mat> padded(tokens.data(), tokens.rows() + 1, tokens.cols());
    const Mat values = padded * to_eigen(w_v);
    const Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return from_eigen(to_eigen(weights) * values.topRows(x.size(0)));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    check(x.shape() == attended.shape(), "with_residual wants equal shapes");
    return x + attended;
}

}  // namespace headway::ex01
