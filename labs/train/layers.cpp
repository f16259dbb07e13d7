#include "labs/train/layers.hpp"

#include <algorithm>
#include <cmath>

namespace headway::lab {
namespace {

/// log Σ exp(row), without overflow.
double log_of_sum(const float* row, Index count) {
    const float largest = *std::max_element(row, row + count);
    double sum = 0;
    for (Index i = 0; i < count; ++i) sum += std::exp(static_cast<double>(row[i] - largest));
    return static_cast<double>(largest) + std::log(sum);
}

}  // namespace

Normalised normalise(const Tensor& x, const Tensor& gain, const Tensor& bias, float epsilon) {
    const Tensor centred = x - mean(x, -1, KeepAxis::yes);               // (B, T, D)
    const Tensor variance = mean(centred * centred, -1, KeepAxis::yes);  // (B, T, 1)
    const Tensor inverse = 1.0F / sqrt(variance + epsilon);
    const Tensor standard = centred * inverse;
    return {standard * gain + bias, standard, inverse};
}

Tensor normalise_backward(const Normalised& forward, const Tensor& gain, const Tensor& grad_y, Tensor& grad_gain,
                          Tensor& grad_bias) {
    grad_gain += sum(sum(grad_y * forward.standard, 0), 0);
    grad_bias += sum(sum(grad_y, 0), 0);
    const Tensor grad = grad_y * gain;
    // Mean and variance depend on x too: what all features ask for alike, and along `standard`, has no effect.
    const Tensor along = mean(grad * forward.standard, -1, KeepAxis::yes);
    return (grad - mean(grad, -1, KeepAxis::yes) - forward.standard * along) * forward.inverse;
}

Tensor embed(const std::vector<Index>& tokens, Index B, const Tensor& table, const Tensor& places) {
    const Index T = static_cast<Index>(tokens.size()) / B, D = table.size(1);
    Tensor x = Tensor::empty({B, T, D});
    for (Index i = 0; i < B * T; ++i) {
        const float* token = table.data() + tokens[static_cast<std::size_t>(i)] * D;
        const float* place = places.data() + i % T * D;
        std::transform(token, token + D, place, x.data() + i * D, std::plus<>());
    }
    return x;
}

void embed_backward(const std::vector<Index>& tokens, const Tensor& grad_x, Tensor& grad_table, Tensor& grad_places) {
    const Tensor grad = grad_x.contiguous();
    const Index T = grad.size(1), D = grad.size(2);
    for (Index i = 0; i < grad.size(0) * T; ++i) {
        const float* from = grad.data() + i * D;
        float* token = grad_table.data() + tokens[static_cast<std::size_t>(i)] * D;
        float* place = grad_places.data() + i % T * D;
        std::transform(token, token + D, from, token, std::plus<>());
        std::transform(place, place + D, from, place, std::plus<>());
    }
}

double cross_entropy(const Tensor& logits, const std::vector<Index>& next) {
    const Tensor dense = logits.contiguous();
    const Index V = dense.size(-1);
    double total = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
        const float* row = dense.data() + static_cast<Index>(i) * V;
        total += log_of_sum(row, V) - static_cast<double>(row[next[i]]);
    }
    return total / static_cast<double>(next.size());
}

Tensor cross_entropy_backward(const Tensor& logits, const std::vector<Index>& next) {
    const Tensor dense = logits.contiguous();
    const Index V = dense.size(-1);
    Tensor grad = Tensor::empty(logits.shape());
    const auto count = static_cast<double>(next.size());
    for (std::size_t i = 0; i < next.size(); ++i) {
        const float* row = dense.data() + static_cast<Index>(i) * V;
        float* out = grad.data() + static_cast<Index>(i) * V;
        const double whole = log_of_sum(row, V);
        for (Index j = 0; j < V; ++j)
            out[j] = static_cast<float>((std::exp(static_cast<double>(row[j]) - whole) - (j == next[i] ? 1.0 : 0.0)) /
                                        count);
    }
    return grad;
}

}  // namespace headway::lab
