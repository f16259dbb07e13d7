#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: scores must be 2D");
    Tensor out = Tensor::empty(scores.shape());
    float biggest = scores(0, 0);
    for (Index i = 0; i < scores.size(0); ++i)
        for (Index j = 0; j < scores.size(1); ++j) biggest = std::max(biggest, scores(i, j));

    float total = 0.0f;
    for (Index i = 0; i < scores.size(0); ++i)
        for (Index j = 0; j < scores.size(1); ++j) {
            out(i, j) = std::exp(scores(i, j) - biggest);
            total += out(i, j);
        }
    out /= total;
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: q and k must be 2D");
    const Index d = q.size(1);
    if (k.size(1) != d) throw std::invalid_argument("attention_weights: q and k must be equally wide");
    Tensor scores = Tensor::zeros({q.size(0), k.size(0)});
    for (Index i = 0; i < q.size(0); ++i)
        for (Index j = 0; j < k.size(0); ++j)
            for (Index c = 0; c < d; ++c) scores(i, j) += q(i, c) * k(j, c);
    scores *= 1.0f / std::sqrt(static_cast<float>(d));
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    // matmul throws std::invalid_argument by itself if the sizes do not fit
    const Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    return matmul(weights, matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes must agree");
    return x + attended;
}

}  // namespace headway::ex01
