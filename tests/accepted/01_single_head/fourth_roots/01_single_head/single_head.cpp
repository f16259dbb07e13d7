#include "single_head.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#define CHECK(condition) \
    if (!(condition)) throw std::invalid_argument(std::string(__func__) + ": need " #condition)

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    CHECK(scores.rank() == 2);
    // softmax does not care which axis is called what: work on columns of the transposed matrix
    const Tensor columns = scores.transpose(0, 1);
    Tensor e = exp(columns - max(columns, 0));
    e /= sum(e, 0);
    return e.transpose(0, 1);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    CHECK(q.rank() == 2);
    CHECK(k.rank() == 2);
    CHECK(q.size(1) == k.size(1));
    const float root = std::pow(static_cast<float>(q.size(1)), -0.25F);
    return softmax_rows(matmul(root * q, (root * k).transpose(0, 1)));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    CHECK(x.rank() == 2);
    for (const Tensor& w : {w_q, w_k, w_v}) {
        CHECK(w.rank() == 2);
        CHECK(w.size(0) == x.size(1));
    }
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    CHECK(x.rank() == 2);
    CHECK(x.shape() == attended.shape());
    Tensor y = x.clone();  // += on x itself would change the argument
    y += attended;
    return y;
}

}  // namespace headway::ex01
