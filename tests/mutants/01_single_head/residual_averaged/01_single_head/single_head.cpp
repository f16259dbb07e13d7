#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: scores (T, S) wanted");
    const Tensor dense = scores.contiguous();
    Tensor result = Tensor::empty(scores.shape());
    const Index S = scores.size(1);
    for (Index t = 0; t < scores.size(0); ++t) {
        const float* in = dense.data() + t * S;
        float* out = result.data() + t * S;
        const float top = *std::max_element(in, in + S);
        std::transform(in, in + S, out, [top](float score) { return std::exp(score - top); });
        float total = 0;
        for (const float* e = out; e != out + S; ++e) total += *e;
        std::transform(out, out + S, out, [total](float e) { return e / total; });
    }
    return result;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: q (T, d) and k (S, d) wanted");
    const Tensor scores = matmul(q, k.transpose(0, 1));
    return softmax_rows(scores / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: matrices wanted");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: equal shapes wanted");
    Tensor mixed = Tensor::zeros(x.shape());
    for (Index t = 0; t < x.size(0); ++t)
        for (Index i = 0; i < x.size(1); ++i) mixed(t, i) = 0.5f * (x(t, i) + attended(t, i));
    return mixed;
}

}  // namespace headway::ex01
