#include "single_head.hpp"

#include <stdexcept>

namespace headway::ex01 {

constexpr float kScale = 0.125f;  // 1 / sqrt(d)

static void check_matrix(const Tensor& t, const char* name) {
    if (t.rank() != 2) throw std::invalid_argument(std::string(name) + " must be a matrix");
}

Tensor softmax_rows(const Tensor& scores) {
    check_matrix(scores, "scores");
    Tensor e = exp(scores - max(scores, 1, KeepAxis::yes));
    Tensor norm = sum(e, 1, KeepAxis::yes);
    return e / norm;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    check_matrix(q, "q");
    check_matrix(k, "k");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("q and k must have the same number of columns");
    Tensor scores = matmul(q * kScale, k.transpose(0, 1));
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    check_matrix(x, "x");
    check_matrix(w_q, "w_q");
    check_matrix(w_k, "w_k");
    check_matrix(w_v, "w_v");
    if (w_q.size(0) != x.size(1)) throw std::invalid_argument("w_q has the wrong number of rows");
    if (w_k.size(0) != x.size(1)) throw std::invalid_argument("w_k has the wrong number of rows");
    if (w_v.size(0) != x.size(1)) throw std::invalid_argument("w_v has the wrong number of rows");
    Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return matmul(matmul(weights, x), w_v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("shape of x and attended must be the same");
    return x + attended;
}

}  // namespace headway::ex01
