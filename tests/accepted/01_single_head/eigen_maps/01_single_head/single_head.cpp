#include "single_head.hpp"

#include <headway/eigen.hpp>

#include <cmath>

namespace headway::ex01 {
namespace {

Tensor to_tensor(const EigenMatrix& m) {
    Tensor t = Tensor::empty({m.rows(), m.cols()});
    as_eigen(t) = m;
    return t;
}

void require(bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
}

EigenMatrix softmaxed(EigenMatrix s) {
    s.colwise() -= s.rowwise().maxCoeff().eval();
    s = s.array().exp();
    s.array().colwise() /= s.rowwise().sum().array().eval();
    return s;
}

EigenMatrix weights_of(const EigenMatrix& q, const EigenMatrix& k) {
    require(q.cols() == k.cols(), "q and k differ in width");
    return softmaxed(q * k.transpose() / std::sqrt(static_cast<float>(q.cols())));
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) { return to_tensor(softmaxed(as_eigen(scores))); }

Tensor attention_weights(const Tensor& q, const Tensor& k) { return to_tensor(weights_of(as_eigen(q), as_eigen(k))); }

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const EigenMap X = as_eigen(x), Wq = as_eigen(w_q), Wk = as_eigen(w_k), Wv = as_eigen(w_v);
    require(Wq.rows() == X.cols() && Wk.rows() == X.cols() && Wv.rows() == X.cols(), "a weight needs D rows");
    const EigenMatrix q = X * Wq, k = X * Wk, v = X * Wv;
    return to_tensor(weights_of(q, k) * v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    require(x.rank() == 2 && x.shape() == attended.shape(), "with_residual: shapes differ");
    return to_tensor(as_eigen(x) + as_eigen(attended));
}

}  // namespace headway::ex01
