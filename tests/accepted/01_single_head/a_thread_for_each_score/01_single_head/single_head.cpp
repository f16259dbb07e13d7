#include "single_head.hpp"

#include <cmath>
#include <stdexcept>
#include <thread>
#include <vector>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    const Tensor raised = exp(scores - max(scores, -1, KeepAxis::yes));
    return raised / sum(raised, -1, KeepAxis::yes);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: widths differ");
    const float scale = 1.0F / std::sqrt(static_cast<float>(q.size(1)));
    Tensor scores = Tensor::zeros({q.size(0), k.size(0)});
    std::vector<std::thread> threads;
    for (Index t = 0; t < q.size(0); ++t)
        for (Index s = 0; s < k.size(0); ++s)
            threads.emplace_back([&, t, s] {
                for (Index i = 0; i < q.size(1); ++i) scores(t, s) += q(t, i) * k(s, i) * scale;
            });
    for (std::thread& thread : threads) thread.join();
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes differ");
    return x + attended;
}

}  // namespace headway::ex01
