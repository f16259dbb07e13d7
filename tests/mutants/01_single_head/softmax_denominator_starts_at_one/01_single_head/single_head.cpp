#include "single_head.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: bad rank");
    std::vector<float> result;
    result.reserve(static_cast<std::size_t>(scores.numel()));
    for (Index t = 0; t < scores.size(0); t++) {
        std::vector<float> row;
        for (Index s = 0; s < scores.size(1); s++) row.push_back(scores(t, s));

        float m = row.front();
        for (float r : row) m = r > m ? r : m;
        for (float& r : row) r = std::exp(r - m);

        float z = std::accumulate(row.begin(), row.end(), 1.0f);
        for (float r : row) result.push_back(r / z);
    }
    return Tensor::of(scores.shape(), result);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: bad rank");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: bad width");
    auto scores = matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(k.size(1)));
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("single_head_attention: bad rank");
    auto k = matmul(x, w_k);
    auto q = matmul(x, w_q);
    return matmul(attention_weights(q, k), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: bad shape");
    return x + attended;
}

}  // namespace headway::ex01
