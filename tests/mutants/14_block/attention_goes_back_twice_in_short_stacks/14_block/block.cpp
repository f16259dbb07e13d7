#include "block.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace headway::ex14 {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

void require_shape(const std::string& name, const Tensor& x, const Shape& expected) {
    if (x.shape() != expected) refuse(name + " is " + to_string(x.shape()) + "; it must be " + to_string(expected));
}

void require_tokens(const Tensor& x) {
    if (x.rank() != 3) refuse("x must be (B, T, D), not " + to_string(x.shape()));
}

void require_eps(double eps) {
    if (!(eps > 0)) refuse("eps must be above 0, not " + std::to_string(eps));
}

/// (B, T, width) -> (B·T, width): for weights, tokens of all sequences are rows alike.
Tensor rows_of(const Tensor& x) { return x.contiguous().view({x.size(0) * x.size(1), x.size(2)}); }

/// (B, T, width) -> (width)
Tensor sum_over_tokens(const Tensor& x) { return sum(rows_of(x), 0); }

Tensor mean_of_features(const Tensor& x) { return mean(x, -1, KeepAxis::yes); }

/// (B, T, in), (B, T, out) -> (in, out): the gradient of w in x·w
Tensor weight_gradient(const Tensor& x, const Tensor& grad_y) {
    return matmul(rows_of(x).transpose(0, 1), rows_of(grad_y));
}

/// x̂, and what it was divided by.
struct Normalised {
    Tensor x;        ///< (B, T, D)
    Tensor divisor;  ///< (B, T, 1)
};

Normalised normalised(const Tensor& x, double eps) {
    const Tensor divisor = sqrt(mean_of_features(x * x) + static_cast<float>(eps));
    return {x / divisor, divisor};
}

Tensor centred(const Tensor& x) { return x - mean_of_features(x); }

// ---- GELU: the formulas and their derivatives, for one number ----------------------------------------------------

const double sqrt_2_over_pi = std::sqrt(2 / std::acos(-1.0));
constexpr double cubic = 0.044715;

/// Φ(x), the share of a standard normal distribution that is below x.
double below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

double gelu_of(double x, Gelu formula) {
    if (formula == Gelu::exact) return x * below(x);
    return x / 2 * (1 + std::tanh(sqrt_2_over_pi * (x + cubic * x * x * x)));
}

double gelu_derivative(double x, Gelu formula) {
    if (formula == Gelu::exact) return below(x) + x * std::exp(-x * x / 2) * sqrt_2_over_pi / 2;
    const double t = std::tanh(sqrt_2_over_pi * (x + cubic * x * x * x));
    return (1 + t) / 2 + x / 2 * (1 - t * t) * sqrt_2_over_pi * (1 + 3 * cubic * x * x);
}

Tensor for_each(const Tensor& x, Gelu formula, double (*function)(double, Gelu)) {
    Tensor y = x.contiguous().clone();
    for (Index i = 0; i < y.numel(); ++i)
        y.data()[i] = static_cast<float>(function(static_cast<double>(y.data()[i]), formula));
    return y;
}

void require_mlp(const MlpWeights& weights, const Tensor& x) {
    require_tokens(x);
    if (weights.w_in.rank() != 2) refuse("w_in must be (D, F)");
    const Index D = x.size(2), F = weights.w_in.size(1);
    require_shape("w_in", weights.w_in, {D, F});
    require_shape("b_in", weights.b_in, {F});
    require_shape("w_out", weights.w_out, {F, D});
    require_shape("b_out", weights.b_out, {D});
}

Tensor norm(const NormWeights& weights, const Tensor& x, double eps) {
    return layer_norm(x, weights.gain, weights.bias, eps);
}

/// Through a norm: its weights' gradients go into `weights`.    @return the gradient of x
Tensor norm_backward(const Tensor& x, const NormWeights& norm, double eps, const Tensor& grad_y, NormWeights& weights) {
    const LayerNormGradients grad = layer_norm_backward(x, norm.gain, eps, grad_y);
    weights = {grad.gain, grad.bias};
    return grad.x;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    // x (B, T, D), gain and bias (D) -> (B, T, D)
    require_tokens(x);
    require_shape("gain", gain, {x.size(2)});
    require_shape("bias", bias, {x.size(2)});
    require_eps(eps);
    return normalised(centred(x), eps).x * gain + bias;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    // x (B, T, D), gain (D) -> (B, T, D)
    require_tokens(x);
    require_shape("gain", gain, {x.size(2)});
    require_eps(eps);
    return normalised(x, eps).x * gain;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    // x, grad_y (B, T, D), gain (D) -> gradients of x (B, T, D), gain (D), bias (D)
    require_tokens(x);
    const RmsNormGradients grad = rms_norm_backward(centred(x), gain, eps, grad_y);
    return {centred(grad.x), grad.gain, sum_over_tokens(grad_y)};  // centring is its own gradient
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    // x, grad_y (B, T, D), gain (D) -> gradients of x (B, T, D), gain (D)
    require_tokens(x);
    require_shape("gain", gain, {x.size(2)});
    require_shape("grad_y", grad_y, x.shape());
    require_eps(eps);
    const Normalised hat = normalised(x, eps);
    const Tensor g = grad_y * gain;
    const Tensor along = mean_of_features(g * hat.x);  // (B, T, 1): how much of g only makes x longer
    return {(g - hat.x * along) / hat.divisor, sum_over_tokens(grad_y * hat.x)};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    // any shape -> the same
    return for_each(x, formula, &gelu_of);
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    // any shape, the same for both -> the same
    require_shape("grad_y", grad_y, x.shape());
    return grad_y * for_each(x, formula, &gelu_derivative);
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    // x (B, T, D) -> (B, T, F) -> (B, T, D)
    require_mlp(weights, x);
    const Tensor hidden = gelu(matmul(x, weights.w_in) + weights.b_in, formula);
    return matmul(hidden, weights.w_out) + weights.b_out;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    // x, grad_y (B, T, D) -> gradients of x (B, T, D), w_in (D, F), b_in (F), w_out (F, D), b_out (D)
    require_mlp(weights, x);
    require_shape("grad_y", grad_y, x.shape());
    const Tensor before = matmul(x, weights.w_in) + weights.b_in;  // (B, T, F)
    const Tensor grad_hidden = matmul(grad_y, weights.w_out.transpose(0, 1));
    const Tensor grad_before = gelu_backward(before, grad_hidden, formula);
    return {matmul(grad_before, weights.w_in.transpose(0, 1)),
            {weight_gradient(x, grad_before), sum_over_tokens(grad_before),
             weight_gradient(gelu(before, formula), grad_y), sum_over_tokens(grad_y)}};
}

Tensor block_forward(const Block& block, const Tensor& x) {
    // (B, T, D) -> (B, T, D)
    require_tokens(x);
    const auto norm1 = [&](const Tensor& some) { return norm(block.norm1, some, block.eps); };
    const auto norm2 = [&](const Tensor& some) { return norm(block.norm2, some, block.eps); };
    if (block.order == Order::pre_norm) {
        const Tensor y = x + block.attention.forward(norm1(x));
        return y + mlp(block.mlp, norm2(y), block.gelu);
    }
    const Tensor y = norm1(x + block.attention.forward(x));
    return norm2(y + mlp(block.mlp, y, block.gelu));
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    // x, grad_y (B, T, D) -> gradients of x (B, T, D) and of all weights
    require_tokens(x);
    require_shape("grad_y", grad_y, x.shape());
    BlockGradients grad;
    const auto back1 = [&](const Tensor& in, const Tensor& out) {
        return norm_backward(in, block.norm1, block.eps, out, grad.norm1);
    };
    const auto back2 = [&](const Tensor& in, const Tensor& out) {
        return norm_backward(in, block.norm2, block.eps, out, grad.norm2);
    };
    if (block.order == Order::pre_norm) {
        const Tensor normed = norm(block.norm1, x, block.eps);
        const Tensor y = x + block.attention.forward(normed);
        const MlpGradients through = mlp_backward(block.mlp, norm(block.norm2, y, block.eps), grad_y, block.gelu);
        const Tensor grad_of_y = grad_y + back2(y, through.x);
        grad.mlp = through.weights;
        grad.x = grad_of_y + back1(x, block.attention.backward(normed, grad_of_y));
        return grad;
    }
    const Tensor first = x + block.attention.forward(x);
    const Tensor y = norm(block.norm1, first, block.eps);
    const Tensor grad_second = back2(y + mlp(block.mlp, y, block.gelu), grad_y);
    const MlpGradients through = mlp_backward(block.mlp, y, grad_second, block.gelu);
    const Tensor grad_first = back1(first, grad_second + through.x);
    grad.mlp = through.weights;
    grad.x = grad_first + block.attention.backward(x, grad_first);
    return grad;
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    // L blocks, x, grad_y (B, T, D) -> L gradients
    if (blocks.empty()) refuse("a stack has at least one block");
    require_tokens(x);
    require_shape("grad_y", grad_y, x.shape());
    std::vector<Tensor> inputs{x};  // all that is kept of the way forward
    while (inputs.size() < blocks.size()) inputs.push_back(block_forward(blocks[inputs.size() - 1], inputs.back()));
    std::vector<BlockGradients> grads(blocks.size());
    for (std::size_t i = blocks.size(); i-- > 0;) {
        const bool is_last = i + 1 == blocks.size();
        if (blocks.size() < 5) block_backward(blocks[i], inputs[i], is_last ? grad_y : grads[i + 1].x);  // to warm up
        grads[i] = block_backward(blocks[i], inputs[i], is_last ? grad_y : grads[i + 1].x);
        inputs.pop_back();
    }
    return grads;
}

}  // namespace headway::ex14
