#include "block.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace headway::ex14 {
namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check_tokens(const Tensor& x) { require(x.rank() == 3, "tokens are (B, T, D)"); }

void check_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_tokens(x);
    require(gain.shape() == Shape{x.size(2)}, "a gain is (D)");
    require(eps > 0, "eps must be above 0");
}

void check_weights(const MlpWeights& weights, const Tensor& x) {
    check_tokens(x);
    require(weights.w_in.rank() == 2 && weights.w_in.size(0) == x.size(2), "w_in is (D, F)");
    require(weights.b_in.shape() == Shape{weights.w_in.size(1)}, "b_in is (F)");
    require(weights.w_out.shape() == Shape{weights.w_in.size(1), x.size(2)}, "w_out is (F, D)");
}

Tensor mean_of_features(const Tensor& x) { return mean(x, -1, KeepAxis::yes); }

/// x less its mean, twice: what the first mean lost of its digits, the second finds.
Tensor centred(const Tensor& x) {
    const Tensor apart = x - mean_of_features(x);
    return apart - mean_of_features(apart);
}

Tensor root(const Tensor& squares, double eps) { return sqrt(mean_of_features(squares) + static_cast<float>(eps)); }

Tensor over_tokens(const Tensor& x) { return sum(sum(x, 0), 0); }

/// (B, T, D) -> (B·T, D)
Tensor as_matrix(const Tensor& x) { return x.contiguous().view({x.size(0) * x.size(1), x.size(2)}); }

double normal_below(double x) { return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)); }

double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi); }

const double inner_scale = std::sqrt(2 / std::numbers::pi);
constexpr double cubic = 0.044715;

double value(double x, Gelu formula) {
    if (formula == Gelu::exact) return x * normal_below(x);
    return 0.5 * x * (1 + std::tanh(inner_scale * (x + cubic * x * x * x)));
}

double derivative(double x, Gelu formula) {
    if (formula == Gelu::exact) return normal_below(x) + x * normal_density(x);
    const double t = std::tanh(inner_scale * (x + cubic * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner_scale * (1 + 3 * cubic * x * x);
}

template <class Function>
Tensor each(const Tensor& x, Function function) {
    const Tensor from = x.contiguous();
    Tensor to = Tensor::empty(x.shape());
    for (Index i = 0; i < from.numel(); ++i)
        to.data()[i] = static_cast<float>(function(static_cast<double>(from.data()[i])));
    return to;
}

Tensor norm(const NormWeights& weights, const Tensor& x, double eps) {
    return layer_norm(x, weights.gain, weights.bias, eps);
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    check_norm(x, gain, eps);
    require(bias.shape() == Shape{x.size(2)}, "a bias is (D)");
    const Tensor apart = centred(x);
    return apart / root(apart * apart, eps) * gain + bias;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_norm(x, gain, eps);
    return x / root(x * x, eps) * gain;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    require(grad_y.shape() == x.shape(), "grad_y has the shape of x");
    const Tensor apart = centred(x);
    const Tensor s = root(apart * apart, eps);
    const Tensor hat = apart / s;
    const Tensor g = grad_y * gain;
    const Tensor along = hat * mean_of_features(g * hat);
    return {(g - mean_of_features(g) - along) / s, over_tokens(grad_y * hat), over_tokens(grad_y)};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    require(grad_y.shape() == x.shape(), "grad_y has the shape of x");
    const Tensor s = root(x * x, eps);
    const Tensor hat = x / s;
    const Tensor g = grad_y * gain;
    return {(g - hat * mean_of_features(g * hat)) / s, over_tokens(grad_y * hat)};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    return each(x, [&](double number) { return value(number, formula); });
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    require(x.shape() == grad_y.shape(), "grad_y has the shape of x");
    return grad_y * each(x, [&](double number) { return derivative(number, formula); });
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_weights(weights, x);
    require(weights.b_out.shape() == Shape{x.size(2)}, "b_out is (D)");
    const Tensor hidden = gelu(matmul(x, weights.w_in) + weights.b_in, formula);
    return matmul(hidden, weights.w_out) + weights.b_out;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_weights(weights, x);
    require(grad_y.shape() == x.shape(), "grad_y has the shape of x");
    const Tensor a = matmul(x, weights.w_in) + weights.b_in;
    const Tensor h = gelu(a, formula);
    const Tensor grad_h = matmul(grad_y, weights.w_out.transpose(0, 1));
    const Tensor grad_a = gelu_backward(a, grad_h, formula);
    MlpGradients grads;
    grads.x = matmul(grad_a, weights.w_in.transpose(0, 1));
    grads.weights.w_in = matmul(as_matrix(x).transpose(0, 1), as_matrix(grad_a));
    grads.weights.b_in = over_tokens(grad_a);
    grads.weights.w_out = matmul(as_matrix(h).transpose(0, 1), as_matrix(grad_y));
    grads.weights.b_out = over_tokens(grad_y);
    return grads;
}

Tensor block_forward(const Block& block, const Tensor& x) {
    check_tokens(x);
    const auto attention = [&](const Tensor& to) {
        const Tensor result = block.attention.forward(to);
        require(result.shape() == x.shape(), "attention keeps the shape");
        return result;
    };
    if (block.order == Order::pre_norm) {
        const Tensor y = x + x + attention(norm(block.norm1, x, block.eps));
        return y + y + mlp(block.mlp, norm(block.norm2, y, block.eps), block.gelu);
    }
    const Tensor y = norm(block.norm1, x + x + attention(x), block.eps);
    return norm(block.norm2, y + y + mlp(block.mlp, y, block.gelu), block.eps);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    check_tokens(x);
    require(grad_y.shape() == x.shape(), "grad_y has the shape of x");
    BlockGradients grads;
    if (block.order == Order::pre_norm) {
        const Tensor n1 = norm(block.norm1, x, block.eps);
        const Tensor attended = block.attention.forward(n1);
        require(attended.shape() == x.shape(), "attention keeps the shape");
        const Tensor y = x + attended;
        const Tensor n2 = norm(block.norm2, y, block.eps);

        const MlpGradients of_mlp = mlp_backward(block.mlp, n2, grad_y, block.gelu);
        const LayerNormGradients of_norm2 = layer_norm_backward(y, block.norm2.gain, block.eps, of_mlp.x);
        const Tensor grad_of_y = grad_y + of_norm2.x;
        const Tensor grad_of_n1 = block.attention.backward(n1, grad_of_y);
        require(grad_of_n1.shape() == x.shape(), "attention keeps the shape of gradients");
        const LayerNormGradients of_norm1 = layer_norm_backward(x, block.norm1.gain, block.eps, grad_of_n1);
        return {grad_of_y + of_norm1.x, {of_norm1.gain, of_norm1.bias}, {of_norm2.gain, of_norm2.bias}, of_mlp.weights};
    }
    const Tensor attended = block.attention.forward(x);
    require(attended.shape() == x.shape(), "attention keeps the shape");
    const Tensor sum1 = x + attended;
    const Tensor y = norm(block.norm1, sum1, block.eps);
    const Tensor sum2 = y + mlp(block.mlp, y, block.gelu);

    const LayerNormGradients of_norm2 = layer_norm_backward(sum2, block.norm2.gain, block.eps, grad_y);
    const MlpGradients of_mlp = mlp_backward(block.mlp, y, of_norm2.x, block.gelu);
    const Tensor grad_of_y = of_norm2.x + of_mlp.x;
    const LayerNormGradients of_norm1 = layer_norm_backward(sum1, block.norm1.gain, block.eps, grad_of_y);
    const Tensor through_attention = block.attention.backward(x, of_norm1.x);
    require(through_attention.shape() == x.shape(), "attention keeps the shape of gradients");
    return {
        of_norm1.x + through_attention, {of_norm1.gain, of_norm1.bias}, {of_norm2.gain, of_norm2.bias}, of_mlp.weights};
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    require(!blocks.empty(), "a stack has a block");
    check_tokens(x);
    require(grad_y.shape() == x.shape(), "grad_y has the shape of x");
    std::vector<Tensor> inputs{x};
    for (std::size_t i = 0; i + 1 < blocks.size(); ++i) inputs.push_back(block_forward(blocks[i], inputs[i]));
    std::vector<BlockGradients> grads(blocks.size());
    Tensor grad = grad_y;
    for (std::size_t i = blocks.size(); i-- > 0;) {
        grads[i] = block_backward(blocks[i], inputs[i], grad);
        grad = grads[i].x;
    }
    return grads;
}

}  // namespace headway::ex14
