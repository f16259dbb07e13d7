#include "block.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::ex14 {
namespace {
void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}
}  // namespace

namespace {

void check_norm(const Tensor& x, const Tensor& gain, double eps) {
    require(eps > 0, "a norm needs an eps above 0");
    require(x.rank() == 3, "a norm takes (B, T, D)");
    require(gain.shape() == Shape{x.size(2)}, "a gain is (D)");
}

void same(const Shape& is, const Shape& should) {
    if (is != should)
        throw std::invalid_argument("shape " + to_string(is) + " where " + to_string(should) + " should be");
}

/// (B, T, n) -> (n)
Tensor over_tokens(const Tensor& x) { return sum(sum(x, 0), 0); }

/// (B, T, n) -> (B·T, n)
Tensor flat(const Tensor& x) { return x.contiguous().view({x.size(0) * x.size(1), x.size(2)}); }

/// The numbers of a tensor in row-major order, in double.
std::vector<double> packed(const Tensor& x) {
    const Tensor rows = x.contiguous();
    return std::vector<double>(rows.data(), rows.data() + rows.numel());
}

Tensor unpacked(const Shape& shape, const std::vector<double>& values) {
    return Tensor::of(shape, std::vector<float>(values.begin(), values.end()));
}

/// One token of `D` numbers, its mean and the root of its variance + eps.
struct Token {
    double mean = 0, size = 0;
    Token(const double* x, std::size_t D, double eps) {
        for (std::size_t i = 0; i < D; ++i) mean += x[i] / static_cast<double>(D);
        for (std::size_t i = 0; i < D; ++i) size += (x[i] - mean) * (x[i] - mean);
        size = std::sqrt(size / static_cast<double>(D) + eps);
    }
};

void check_mlp(const MlpWeights& weights, const Tensor& x) {
    if (x.rank() != 3 || weights.w_in.rank() != 2) throw std::invalid_argument("mlp: x is (B, T, D), w_in is (D, F)");
    const Index D = x.size(2), F = weights.w_in.size(1);
    same(weights.w_in.shape(), {D, F});
    same(weights.b_in.shape(), {F});
    same(weights.w_out.shape(), {F, D});
}

Tensor residual(const Tensor& x, const Tensor& change) {
    same(change.shape(), x.shape());
    return x + change;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    if (x.rank() != 3) throw std::invalid_argument("layer_norm: x is " + to_string(x.shape()));
    if (!(eps > 0)) throw std::invalid_argument("layer_norm: eps");
    const Index D = x.size(2);
    same(gain.shape(), Shape{D});
    same(bias.shape(), Shape{D});
    Tensor y = Tensor::empty(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t) {
            double mu = 0, variance = 0;
            for (Index i = 0; i < D; ++i) mu += x(b, t, i);
            mu /= static_cast<double>(D);
            for (Index i = 0; i < D; ++i) variance += std::pow(x(b, t, i) - mu, 2);
            variance /= static_cast<double>(D);
            const double s = std::sqrt(variance + eps);
            for (Index i = 0; i < D; ++i) y(b, t, i) = static_cast<float>((x(b, t, i) - mu) / s * gain(i) + bias(i));
        }
    return y;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_norm(x, gain, eps);
    return x / sqrt(mean(x * x, -1, KeepAxis::yes) + static_cast<float>(eps)) * gain;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    if (x.rank() != 3 || !(eps > 0)) throw std::invalid_argument("layer_norm_backward: x or eps");
    same(grad_y.shape(), x.shape());
    same(gain.shape(), {x.size(2)});
    const std::size_t D = static_cast<std::size_t>(x.size(2));
    const std::vector<double> xs = packed(x), gains = packed(gain), dy = packed(grad_y);
    std::vector<double> dx(xs.size()), d_gain(D), d_bias(D), normed(D), g(D);
    for (std::size_t begin = 0; begin < xs.size(); begin += D) {
        const Token token(&xs[begin], D, eps);
        double mean_g = 0, mean_along = 0;
        for (std::size_t i = 0; i < D; ++i) {
            normed[i] = (xs[begin + i] - token.mean) / token.size;
            g[i] = dy[begin + i] * gains[i];
            mean_g += g[i];
            mean_along += g[i] * normed[i];
            d_gain[i] += dy[begin + i] * normed[i];
            d_bias[i] += dy[begin + i];
        }
        mean_g /= static_cast<double>(D);
        mean_along /= static_cast<double>(D);
        for (std::size_t i = 0; i < D; ++i) dx[begin + i] = (g[i] - mean_g - normed[i] * mean_along) / token.size;
    }
    return {unpacked(x.shape(), dx), unpacked(gain.shape(), d_gain), unpacked(gain.shape(), d_bias)};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    require(grad_y.shape() == x.shape(), "rms_norm_backward: grad_y is as x");
    const Tensor s = sqrt(mean(x * x, -1, KeepAxis::yes) + static_cast<float>(eps));
    const Tensor normed = x / s, g = grad_y * gain;
    return {(g - normed * mean(g * normed, -1, KeepAxis::yes)) / s, over_tokens(grad_y * normed)};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    Tensor y = x.contiguous().clone();
    const double root = std::sqrt(2.0 / 3.14159265358979323846);
    for (float* p = y.data(); p != y.data() + y.numel(); ++p) {
        const double a = *p;
        double share = 0;  // of what is below a
        switch (formula) {
            case Gelu::exact:
                share = 0.5 * (1 + std::erf(a * std::sqrt(0.5)));
                break;
            case Gelu::tanh:
                share = 0.5 * (1 + std::tanh(root * (a + 0.044715 * std::pow(a, 3))));
                break;
        }
        *p = static_cast<float>(a * share);
    }
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    if (x.shape() != grad_y.shape()) throw std::invalid_argument("gelu_backward: shapes differ");
    const Tensor numbers = x.contiguous();
    Tensor grad = Tensor::empty(grad_y.shape());
    grad.copy_from(grad_y);
    constexpr double pi = 3.14159265358979323846;
    for (Index i = 0; i < grad.numel(); ++i) {
        const double a = numbers.data()[i];
        double slope = 0;
        if (formula == Gelu::exact) {
            const double below = 0.5 * (1 + std::erf(a / std::sqrt(2.0)));
            const double density = std::exp(-a * a / 2) / std::sqrt(2 * pi);
            slope = below + a * density;
        } else {
            const double k = std::sqrt(2 / pi), c = 0.044715;
            const double u = k * a * (1 + c * a * a), grown = std::exp(2 * u);
            const double steepness = 4 * grown / ((grown + 1) * (grown + 1));  // 1 - tanh(u)^2
            const double inner = k * (1 + 3 * c * a * a);
            slope = (1 + std::tanh(u)) / 2 + a / 2 * steepness * inner;
        }
        grad.data()[i] = static_cast<float>(grad.data()[i] * slope);
    }
    return grad;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_mlp(weights, x);
    same(weights.b_out.shape(), {x.size(2)});
    const Index D = x.size(2), F = weights.w_in.size(1);
    Tensor y = Tensor::empty(x.shape()), a = Tensor::empty({F});
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t) {
            for (Index f = 0; f < F; ++f) {
                double total = weights.b_in(f);
                for (Index i = 0; i < D; ++i) total += static_cast<double>(x(b, t, i)) * weights.w_in(i, f);
                a(f) = static_cast<float>(total);
            }
            const Tensor h = gelu(a, formula);
            for (Index i = 0; i < D; ++i) {
                double total = weights.b_out(i);
                for (Index f = 0; f < F; ++f) total += static_cast<double>(h(f)) * weights.w_out(f, i);
                y(b, t, i) = static_cast<float>(total);
            }
        }
    return y;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_mlp(weights, x);
    same(grad_y.shape(), x.shape());
    const Tensor rows = flat(x), grad_rows = flat(grad_y);
    const Tensor a = matmul(rows, weights.w_in) + weights.b_in, h = gelu(a, formula);
    const Tensor grad_h = matmul(grad_rows, weights.w_out.transpose(0, 1));
    const Tensor grad_a = gelu_backward(a, grad_h, formula);
    MlpGradients grads;
    grads.x = matmul(grad_a, weights.w_in.transpose(0, 1)).view(x.shape());
    grads.weights.w_in = matmul(rows.transpose(0, 1), grad_a);
    grads.weights.b_in = sum(grad_a, 0);
    grads.weights.w_out = matmul(h.transpose(0, 1), grad_rows);
    grads.weights.b_out = sum(grad_rows, 0);
    return grads;
}

Tensor block_forward(const Block& block, const Tensor& x) {
    if (x.rank() != 3) throw std::invalid_argument("block_forward: shape " + to_string(x.shape()));
    const auto norm = [&](const NormWeights& weights, const Tensor& z) {
        return layer_norm(z, weights.gain, weights.bias, block.eps);
    };
    const bool pre = block.order == Order::pre_norm;
    Tensor stream = x + block.attention.forward(pre ? norm(block.norm1, x) : x);
    if (!pre) stream = norm(block.norm1, stream);
    stream = stream + mlp(block.mlp, pre ? norm(block.norm2, stream) : stream, block.gelu);
    return pre ? stream : norm(block.norm2, stream);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    if (x.rank() != 3) throw std::invalid_argument("block_backward: x is (B, T, D)");
    same(grad_y.shape(), x.shape());
    BlockGradients grads;
    if (block.order == Order::pre_norm) {
        const Tensor n1 = layer_norm(x, block.norm1.gain, block.norm1.bias, block.eps);
        const Tensor y = residual(x, block.attention.forward(n1));
        const Tensor n2 = layer_norm(y, block.norm2.gain, block.norm2.bias, block.eps);
        const MlpGradients back_mlp = mlp_backward(block.mlp, n2, grad_y, block.gelu);
        const LayerNormGradients back2 = layer_norm_backward(y, block.norm2.gain, block.eps, back_mlp.x);
        const Tensor grad_of_y = grad_y + back2.x;
        const LayerNormGradients back1 =
            layer_norm_backward(x, block.norm1.gain, block.eps, block.attention.backward(n1, grad_of_y));
        grads.x = grad_of_y + back1.x;
        grads.norm1 = {back1.gain, back1.bias};
        grads.norm2 = {back2.gain, back2.bias};
        grads.mlp = back_mlp.weights;
        return grads;
    }
    const Tensor sum1 = residual(x, block.attention.forward(x));
    const Tensor y = layer_norm(sum1, block.norm1.gain, block.norm1.bias, block.eps);
    const Tensor sum2 = y + mlp(block.mlp, y, block.gelu);
    const LayerNormGradients back2 = layer_norm_backward(sum2, block.norm2.gain, block.eps, grad_y);
    const MlpGradients back_mlp = mlp_backward(block.mlp, y, back2.x, block.gelu);
    const LayerNormGradients back1 = layer_norm_backward(sum1, block.norm1.gain, block.eps, back2.x + back_mlp.x);
    grads.x = back1.x + block.attention.backward(x, back1.x);
    grads.norm1 = {back1.gain, back1.bias};
    grads.norm2 = {back2.gain, back2.bias};
    grads.mlp = back_mlp.weights;
    return grads;
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    if (blocks.empty() || x.rank() != 3 || x.shape() != grad_y.shape()) throw std::invalid_argument("stack_backward");
    std::vector<BlockGradients> grads(blocks.size());
    // Down the stack and up again: each call keeps the input of its block.
    const std::function<Tensor(std::size_t, const Tensor&)> back = [&](std::size_t i, const Tensor& input) -> Tensor {
        const Tensor grad = i + 1 == blocks.size() ? grad_y : back(i + 1, block_forward(blocks[i], input));
        grads[i] = block_backward(blocks[i], input, grad);
        return grads[i].x;
    };
    back(0, x);
    return grads;
}

}  // namespace headway::ex14
