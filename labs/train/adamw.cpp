#include "labs/train/adamw.hpp"

#include <cmath>

namespace headway::lab {
namespace {

constexpr double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-8, decay = 0.01;

}  // namespace

AdamW::AdamW(const nn::StateDict& parameters) {
    for (const auto& [name, tensor] : parameters) {
        first.emplace_back(name, Tensor::zeros(tensor.shape()));
        second.emplace_back(name, Tensor::zeros(tensor.shape()));
    }
}

void AdamW::update(nn::StateDict& parameters, const nn::StateDict& gradients, double rate, Index step) {
    const auto t = static_cast<double>(step);
    const double whole1 = 1 - std::pow(beta1, t), whole2 = 1 - std::pow(beta2, t);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        Tensor& value = parameters[p].second;
        const float* g = gradients[p].second.data();
        float *m = first[p].second.data(), *v = second[p].second.data(), *x = value.data();
        const double shrink = value.rank() > 1 ? decay : 0.0;
        for (Index i = 0; i < value.numel(); ++i) {
            m[i] = static_cast<float>(beta1 * m[i] + (1 - beta1) * g[i]);
            v[i] = static_cast<float>(beta2 * v[i] + (1 - beta2) * g[i] * g[i]);
            const double direction = m[i] / whole1 / (std::sqrt(v[i] / whole2) + epsilon);
            x[i] = static_cast<float>(x[i] - rate * (direction + shrink * x[i]));
        }
    }
}

}  // namespace headway::lab
