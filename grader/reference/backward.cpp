#include "reference/backward.hpp"

#include "reference/attention.hpp"

#include <cmath>
#include <cstddef>

namespace headway::reference {
namespace {

Array rows_of(const Array& x) { return reshape(x, {x.numel() / x.size(-1), x.size(-1)}); }

}  // namespace

Array softmax_backward(const Array& weights, const Array& grad_weights) {
    Array scores = weights;
    const auto S = static_cast<std::size_t>(weights.size(-1));
    for (std::size_t row = 0; row < weights.value.size(); row += S) {
        double mean = 0;
        double magnitude = 0;
        double inherited = 0;
        for (std::size_t i = row; i < row + S; ++i) {
            mean += weights.value[i] * grad_weights.value[i];
            magnitude += std::abs(weights.value[i] * grad_weights.value[i]);
            inherited += std::abs(weights.value[i]) * grad_weights.error[i] +
                         weights.error[i] * (std::abs(grad_weights.value[i]) + grad_weights.error[i]);
        }
        const double mean_error = inherited + static_cast<double>(S + 4) * unit_roundoff * magnitude;
        for (std::size_t i = row; i < row + S; ++i) {
            const double apart = grad_weights.value[i] - mean;
            const double apart_error = grad_weights.error[i] + mean_error +
                                       2 * unit_roundoff * (std::abs(grad_weights.value[i]) + std::abs(mean));
            scores.value[i] = weights.value[i] * apart;
            scores.error[i] = std::abs(weights.value[i]) * apart_error +
                              weights.error[i] * (std::abs(apart) + apart_error) +
                              unit_roundoff * std::abs(scores.value[i]);
        }
    }
    return scores;
}

AttentionGradients attention_backward(const Array& q, const Array& k, const Array& weights, const Array& grad_scores,
                                      const Array& grad_context) {
    const Array scaled = scale(grad_scores, 1.0 / std::sqrt(static_cast<double>(q.size(-1))));
    return {matmul(scaled, k), matmul(transpose(scaled, -2, -1), q), matmul(transpose(weights, -2, -1), grad_context)};
}

AttentionGradients attention_backward(const Array& q, const Array& k, const Array& v, const Mask& mask,
                                      const Array& grad_context) {
    const Array weights = masked_softmax(scores(q, k), mask);
    const Array grad_weights = matmul(grad_context, transpose(v, -2, -1));
    return attention_backward(q, k, weights, softmax_backward(weights, grad_weights), grad_context);
}

LinearGradients linear_backward(const Array& x, const Array& weight, const Array& grad_y) {
    const Array rows = rows_of(grad_y);
    Array ones = exact(Tensor::ones({1, rows.size(0)}));
    return {matmul(grad_y, weight), matmul(transpose(rows, 0, 1), rows_of(x)),
            reshape(matmul(ones, rows), {rows.size(1)})};
}

}  // namespace headway::reference
