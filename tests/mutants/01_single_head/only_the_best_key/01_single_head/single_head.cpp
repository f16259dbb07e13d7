#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: a (T, S) tensor is expected");
    std::vector<float> flat;
    for (Index t = 0; t < scores.size(0); ++t) {
        std::vector<float> row;
        for (Index s = 0; s < scores.size(1); ++s) row.push_back(scores(t, s));
        const float top = *std::max_element(row.begin(), row.end());
        float z = 0;
        for (float& e : row) z += (e = std::exp(e - top));
        for (const float e : row) flat.push_back(e / z);
    }
    return Tensor::of(scores.shape(), flat);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: (T, d) and (S, d) tensors are expected");
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2) throw std::invalid_argument("single_head_attention: a (T, D) tensor is expected");
    const Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    const Tensor values = matmul(x, w_v);
    Tensor out = Tensor::empty(values.shape());
    for (Index t = 0; t < weights.size(0); ++t) {
        Index best = 0;
        for (Index s = 1; s < weights.size(1); ++s)
            if (weights(t, s) > weights(t, best)) best = s;
        out[t].copy_from(values[best]);
    }
    return out;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: equal shapes are expected");
    return x + attended;
}

}  // namespace headway::ex01
