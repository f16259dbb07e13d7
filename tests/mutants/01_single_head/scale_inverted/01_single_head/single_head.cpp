#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {
namespace {

class Head {
public:
    Head(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) : w_q_(w_q), w_k_(w_k), w_v_(w_v) {
        if (w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
            throw std::invalid_argument("Head: weights are matrices");
        if (w_q.shape() != w_k.shape() || w_v.size(0) != w_q.size(0))
            throw std::invalid_argument("Head: weights do not fit each other");
    }

    Tensor forward(const Tensor& x) const {
        if (x.rank() != 2 || x.size(1) != w_q_.size(0)) throw std::invalid_argument("Head: x does not fit");
        return matmul(attention_weights(matmul(x, w_q_), matmul(x, w_k_)), matmul(x, w_v_));
    }

private:
    Tensor w_q_, w_k_, w_v_;
};

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: matrix expected");
    Tensor w = exp(scores - max(scores, 1, KeepAxis::yes));
    w /= sum(w, 1, KeepAxis::yes);
    return w;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: matrices expected");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: q and k must have the same width");
    const float scale = std::pow(static_cast<float>(k.size(1)), -0.5f);
    return softmax_rows(matmul(q, k.transpose(0, 1)) / scale);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    return Head(w_q, w_k, w_v).forward(x);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: same shape expected");
    return x + attended;
}

}  // namespace headway::ex01
