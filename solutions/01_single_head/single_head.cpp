#include "single_head.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace headway::ex01 {
namespace {

void require_projection_of(const Tensor& x, const Tensor& w, const std::string& name) {
    if (w.size(0) != x.size(1))
        throw std::invalid_argument("single_head_attention: " + name + " " + to_string(w.shape()) +
                                    " must have a row for each of the " + std::to_string(x.size(1)) + " columns of x " +
                                    to_string(x.shape()));
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    // scores (T, S) -> (T, S)
    const Tensor largest = max(scores, -1, KeepAxis::yes);  // (T, 1)
    const Tensor raised = exp(scores - largest);            // (T, S); at most exp(0) = 1, so nothing overflows
    return raised / sum(raised, -1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    // q (T, d), k (S, d) -> (T, S)
    if (q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: the widths of q " + to_string(q.shape()) + " and k " +
                                    to_string(k.shape()) + " differ");
    const auto d = static_cast<float>(q.size(1));
    const Tensor scores = matmul(q, k.transpose(0, 1)) / std::sqrt(d);  // (T, d) · (d, S)
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    // x (T, D), w_q and w_k (D, d), w_v (D, d_v) -> (T, d_v)
    require_projection_of(x, w_q, "w_q");
    require_projection_of(x, w_k, "w_k");
    require_projection_of(x, w_v, "w_v");
    const Tensor q = matmul(x, w_q);            // (T, d)
    const Tensor k = matmul(x, w_k);            // (T, d)
    const Tensor v = matmul(x, w_v);            // (T, d_v)
    return matmul(attention_weights(q, k), v);  // (T, T) · (T, d_v)
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    // x (T, D) + attended (T, D) -> (T, D)
    if (x.shape() != attended.shape())  // "+" alone would broadcast
        throw std::invalid_argument("with_residual: x " + to_string(x.shape()) + " and attended " +
                                    to_string(attended.shape()) + " differ in shape");
    return x + attended;
}

}  // namespace headway::ex01
