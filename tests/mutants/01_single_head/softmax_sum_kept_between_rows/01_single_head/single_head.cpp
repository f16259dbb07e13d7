#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex01 {
namespace {

std::vector<float> values_of(const Tensor& t) {
    const Tensor dense = t.contiguous();
    return {dense.data(), dense.data() + dense.numel()};
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: " + to_string(scores.shape()));
    std::vector<float> w = values_of(scores);
    const auto S = static_cast<std::size_t>(scores.size(1));
    float total = 0.0f;
    for (std::size_t begin = 0; begin < w.size(); begin += S) {
        const auto first = w.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = first + scores.size(1);
        const float top = *std::max_element(first, last);
        for (auto it = first; it != last; ++it) {
            *it = std::exp(*it - top);
            total += *it;
        }
        std::transform(first, last, first, [total](float e) { return e / total; });
    }
    return Tensor::of(scores.shape(), w);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: " + to_string(q.shape()) + " with " + to_string(k.shape()));
    return softmax_rows(matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    for (const Tensor* w : {&w_q, &w_k, &w_v})
        if (w->rank() != 2 || x.rank() != 2 || w->size(0) != x.size(1))
            throw std::invalid_argument("single_head_attention: " + to_string(x.shape()) + " · " +
                                        to_string(w->shape()));
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape())
        throw std::invalid_argument("with_residual: " + to_string(x.shape()) + " + " + to_string(attended.shape()));
    std::vector<float> result = values_of(x);
    const std::vector<float> edit = values_of(attended);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += edit[i];
    return Tensor::of(x.shape(), result);
}

}  // namespace headway::ex01
