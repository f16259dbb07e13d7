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

/// A token without its mean, and its size.
struct Centred {
    Tensor apart, size;
};

Centred centred(const Tensor& x, double eps) {
    const Tensor apart = x - mean(x, -1, KeepAxis::yes);
    return {apart, sqrt(mean(apart * apart, -1, KeepAxis::yes) + static_cast<float>(eps))};
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

template <class Function>
Tensor map(const Tensor& x, Function function) {
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    for (Index i = 0; i < y.numel(); ++i) y.data()[i] = static_cast<float>(function(static_cast<double>(y.data()[i])));
    return y;
}

double gelu_of(double x, Gelu formula) {
    if (formula == Gelu::exact) return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

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
    if (x.rank() != 3 || !(eps > 0)) throw std::invalid_argument("layer_norm: x or eps");
    same(gain.shape(), {x.size(2)});
    same(bias.shape(), {x.size(2)});
    const std::size_t D = static_cast<std::size_t>(x.size(2));
    std::vector<double> values = packed(x);
    const std::vector<double> gains = packed(gain), biases = packed(bias);
    for (std::size_t begin = 0; begin < values.size(); begin += D) {
        const Token token(&values[begin], D, eps);
        for (std::size_t i = 0; i < D; ++i)
            values[begin + i] = (values[begin + i] - token.mean) / token.size * gains[i] + biases[i];
    }
    return unpacked(x.shape(), values);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    if (x.rank() != 3 || !(eps > 0)) throw std::invalid_argument("rms_norm: x or eps");
    same(gain.shape(), {x.size(2)});
    const std::size_t D = static_cast<std::size_t>(x.size(2));
    std::vector<double> values = packed(x);
    const std::vector<double> gains = packed(gain);
    for (auto token = values.begin(); token != values.end(); token += static_cast<Index>(D)) {
        const double squares = std::inner_product(token, token + static_cast<Index>(D), token, 0.0);
        const double s = std::sqrt(squares / static_cast<double>(D) + eps);
        std::transform(token, token + static_cast<Index>(D), gains.begin(), token,
                       [s](double number, double g) { return number / s * g; });
    }
    return unpacked(x.shape(), values);
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    require(grad_y.shape() == x.shape(), "layer_norm_backward: grad_y is as x");
    const Centred token = centred(x, eps);
    const Tensor normed = token.apart / token.size, g = grad_y * gain;
    const Tensor along = mean(grad_y * normed, -1, KeepAxis::yes);
    const Tensor grad_x = (g - mean(g, -1, KeepAxis::yes) - normed * along) / token.size;
    return {grad_x, over_tokens(grad_y * normed), over_tokens(grad_y)};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    require(grad_y.shape() == x.shape(), "rms_norm_backward: grad_y is as x");
    const Tensor s = sqrt(mean(x * x, -1, KeepAxis::yes) + static_cast<float>(eps));
    const Tensor normed = x / s, g = grad_y * gain;
    return {(g - normed * mean(g * normed, -1, KeepAxis::yes)) / s, over_tokens(grad_y * normed)};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    return map(x, [formula](double number) { return gelu_of(number, formula); });
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
            const double t = std::tanh(k * a * (1 + c * a * a));
            const double inner = k * (1 + 3 * c * a * a);
            slope = (1 + t) / 2 + a / 2 * (1 - t) * (1 + t) * inner;
        }
        grad.data()[i] = static_cast<float>(grad.data()[i] * slope);
    }
    return grad;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_mlp(weights, x);
    same(weights.b_out.shape(), {x.size(2)});
    const Tensor hidden = gelu(matmul(x, weights.w_in) + weights.b_in, formula);
    return matmul(hidden, weights.w_out) + weights.b_out;
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
    grads.weights.b_in = sum(grad_h, 0);
    grads.weights.w_out = matmul(h.transpose(0, 1), grad_rows);
    grads.weights.b_out = sum(grad_rows, 0);
    return grads;
}

Tensor block_forward(const Block& block, const Tensor& x) {
    if (block.order == Order::pre_norm) {
        const Tensor n = layer_norm(x, block.norm1.gain, block.norm1.bias, block.eps);
        const Tensor y = residual(x, block.attention.forward(n));
        return y + mlp(block.mlp, layer_norm(y, block.norm2.gain, block.norm2.bias, block.eps), block.gelu);
    }
    if (x.rank() != 3) throw std::invalid_argument("block_forward: x is (B, T, D)");
    const Tensor y = layer_norm(residual(x, block.attention.forward(x)), block.norm1.gain, block.norm1.bias, block.eps);
    return layer_norm(y + mlp(block.mlp, y, block.gelu), block.norm2.gain, block.norm2.bias, block.eps);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    if (x.rank() != 3) throw std::invalid_argument("block_backward: shape " + to_string(x.shape()));
    same(grad_y.shape(), x.shape());
    const NormWeights &first = block.norm1, &second = block.norm2;
    const bool pre = block.order == Order::pre_norm;

    // Forwards once more: what each part was given.
    const Tensor to_attention = pre ? layer_norm(x, first.gain, first.bias, block.eps) : x;
    const Tensor sum1 = x + block.attention.forward(to_attention);
    const Tensor y = pre ? sum1 : layer_norm(sum1, first.gain, first.bias, block.eps);
    const Tensor to_mlp = pre ? layer_norm(y, second.gain, second.bias, block.eps) : y;

    // Backwards.
    BlockGradients result;
    const auto through = [&](const Tensor& z, const NormWeights& norm, const Tensor& grad, NormWeights& to) {
        const LayerNormGradients back = layer_norm_backward(z, norm.gain, block.eps, grad);
        to = {back.gain, back.bias};
        return back.x;
    };
    Tensor grad = grad_y;
    if (!pre) grad = through(y + mlp(block.mlp, y, block.gelu), second, grad, result.norm2);
    const MlpGradients in_mlp = mlp_backward(block.mlp, to_mlp, grad, block.gelu);
    result.mlp = in_mlp.weights;
    grad = grad + (pre ? through(y, second, in_mlp.x, result.norm2) : in_mlp.x);
    if (!pre) grad = through(sum1, first, grad, result.norm1);
    const Tensor in_attention = block.attention.backward(to_attention, grad);
    result.x = grad + (pre ? through(x, first, in_attention, result.norm1) : in_attention);
    return result;
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
