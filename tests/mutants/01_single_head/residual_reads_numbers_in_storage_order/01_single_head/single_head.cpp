#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index row = 0; row < scores.size(0); ++row) {
        std::vector<double> e;
        for (Index column = 0; column < scores.size(1); ++column) e.push_back(scores(row, column));
        const double top = *std::max_element(e.begin(), e.end());
        double total = 0;
        for (double& value : e) total += value = std::exp(value - top);
        for (Index column = 0; column < scores.size(1); ++column)
            weights(row, column) = static_cast<float>(e[static_cast<std::size_t>(column)] / total);
    }
    return weights;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    const Index d = q.size(1);
    if (k.size(1) != d)
        throw std::invalid_argument("q is " + std::to_string(d) + " wide, k is " + std::to_string(k.size(1)));
    return softmax_rows(matmul(q, k.transpose(0, 1)) * static_cast<float>(1 / std::sqrt(static_cast<double>(d))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("the residual needs two tensors of one shape");
    Tensor sum = Tensor::zeros(x.shape());
    std::transform(x.data(), x.data() + x.numel(), attended.data(), sum.data(),
                   [](float token, float added) { return token + added; });
    return sum;
}

}  // namespace headway::ex01
