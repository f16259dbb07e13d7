#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("(T, S) expected, not " + to_string(scores.shape()));
    Tensor e = scores - max(scores, -1, KeepAxis::yes);
    e = exp(e);
    e /= sum(e, -1, KeepAxis::yes);
    return e;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1)) throw std::invalid_argument("q (T, d), k (S, d)");
    // (k·qᵀ)ᵀ = q·kᵀ
    const Tensor scores = matmul(k, q.transpose(0, 1)).transpose(0, 1);
    return softmax_rows(scores / std::sqrt(static_cast<float>(k.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    for (const Tensor& t : {x, w_q, w_k, w_v})
        if (t.rank() != 2) throw std::invalid_argument("matrices expected");
    if (w_q.size(1) != w_k.size(1)) throw std::invalid_argument("w_q and w_k differ in width");
    const Tensor matching = matmul(w_q, w_k.transpose(0, 1));  // (D, D): which features look for which
    const Tensor scores = matmul(matmul(x, matching), x.transpose(0, 1)) / std::sqrt(static_cast<float>(w_q.size(1)));
    const Tensor gathered = matmul(softmax_rows(scores), x);  // (T, D): x mixed over tokens first
    return matmul(gathered, w_v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.rank() != 2 || x.shape() != attended.shape()) throw std::invalid_argument("the shapes differ");
    return x - (-attended);
}

}  // namespace headway::ex01
