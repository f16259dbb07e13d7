#include "single_head.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: rank 2 only");
    Tensor out = Tensor::empty(scores.shape());
    for (Index t = 0; t != scores.size(0); ++t) {
        float running_max = -std::numeric_limits<float>::infinity();
        float running_sum = 0.0f;
        for (Index s = 0; s != scores.size(1); ++s) {
            const float score = scores(t, s);
            if (score > running_max) {
                running_sum *= std::exp(running_max - score);  // exp(-inf) = 0 the first time
                running_max = score;
            }
            running_sum += std::exp(score - running_max);
        }
        for (Index s = 0; s != scores.size(1); ++s) out(t, s) = std::exp(scores(t, s) - running_max) / running_sum;
    }
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: q (T, d) and k (S, d) with the same d");
    const auto d = static_cast<float>(q.size(1));
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(d));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: rank 2 only");
    if (w_q.size(0) != x.size(1) || w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("single_head_attention: weights need D rows");
    if (w_q.size(1) != w_k.size(1)) throw std::invalid_argument("single_head_attention: w_q and w_k differ");
    const Tensor k = matmul(x, w_k);
    const Tensor v = matmul(x, w_v);
    Tensor out = Tensor::empty({x.size(0), w_v.size(1)});
    for (Index t = 0; t != x.size(0); ++t) {  // one token after the other, as a decoder would
        const Tensor token = x.slice(0, t, t + 1);
        out.slice(0, t, t + 1).copy_from(matmul(attention_weights(matmul(token, w_q), k), v));
    }
    return out;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.rank() != 2 || x.shape() != attended.shape())
        throw std::invalid_argument("with_residual: not the same shape");
    return x + attended;
}

}  // namespace headway::ex01
