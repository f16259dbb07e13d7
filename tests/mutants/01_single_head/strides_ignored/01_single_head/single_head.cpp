#include "single_head.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows wants rank 2");
    std::vector<float> out;
    for (Index i = 0; i < scores.size(0); ++i) {
        float biggest = scores(i, 0), total = 0;
        for (Index j = 0; j < scores.size(1); ++j) biggest = std::fmax(biggest, scores(i, j));
        for (Index j = 0; j < scores.size(1); ++j) total += std::exp(scores(i, j) - biggest);
        for (Index j = 0; j < scores.size(1); ++j) out.push_back(std::exp(scores(i, j) - biggest) / total);
    }
    return Tensor::of(scores.shape(), out);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1)) throw std::invalid_argument("q, k do not match");
    const auto T = q.size(0), S = k.size(0), d = q.size(1);
    const float *pq = q.data(), *pk = k.data();
    std::vector<float> scores(static_cast<std::size_t>(T * S), 0.0f);
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            float& cell = scores[static_cast<std::size_t>(t * S + s)];
            for (Index i = 0; i < d; ++i) cell += pq[t * d + i] * pk[s * d + i];
            cell /= std::sqrt(static_cast<float>(d));
        }
    return softmax_rows(Tensor::of({T, S}, scores));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2 || w_q.size(0) != x.size(1) ||
        w_k.size(0) != x.size(1) || w_v.size(0) != x.size(1))
        throw std::invalid_argument("x and the weights do not match");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("x and attended do not match");
    return x + attended;
}

}  // namespace headway::ex01
