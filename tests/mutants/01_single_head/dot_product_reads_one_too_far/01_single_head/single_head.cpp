#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("scores: wrong rank");
    Tensor out = Tensor::empty(scores.shape());
    for (Index i = 0; i < scores.size(0); i++) {
        float mx = scores(i, 0);
        for (Index j = 1; j < scores.size(1); j++) mx = scores(i, j) > mx ? scores(i, j) : mx;
        float sm = 0;
        for (Index j = 0; j < scores.size(1); j++) sm += std::exp(scores(i, j) - mx);
        for (Index j = 0; j < scores.size(1); j++) out(i, j) = std::exp(scores(i, j) - mx) / sm;
    }
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1)) throw std::invalid_argument("q, k: wrong shapes");
    Tensor a = q.contiguous(), b = k.contiguous();
    const float* pa = a.data();
    const float* pb = b.data();
    Index d = q.size(1);
    Tensor scores = Tensor::zeros({q.size(0), k.size(0)});
    for (Index i = 0; i < q.size(0); i++) {
        for (Index j = 0; j < k.size(0); j++) {
            float s = 0;
            for (Index c = 0; c <= d; c++) s += pa[i * d + c] * pb[j * d + c];
            scores(i, j) = s / std::sqrt(static_cast<float>(d));
        }
    }
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("wrong rank");
    if (w_q.size(0) != x.size(1) || w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("wrong rows");
    Tensor q = matmul(x, w_q), k = matmul(x, w_k), v = matmul(x, w_v);
    return matmul(attention_weights(q, k), v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("wrong shapes");
    return x + attended;
}

}  // namespace headway::ex01
