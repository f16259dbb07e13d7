#include "block.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex14 {
namespace {

void demand(bool fits, const char* message) {
    if (!fits) throw std::invalid_argument(message);
}

bool has(const Tensor& tensor, const Shape& shape) { return tensor.defined() && tensor.shape() == shape; }

void check_norm(const Tensor& x, const Tensor& gain, double eps) {
    demand(x.defined() && x.rank() == 3, "x must be (B, T, D)");
    demand(has(gain, {x.size(2)}), "gain must be (D)");
    demand(eps > 0, "eps must be above 0");
}

void check_mlp(const MlpWeights& weights, const Tensor& x) {
    demand(x.defined() && x.rank() == 3, "x must be (B, T, D)");
    demand(weights.w_in.defined() && weights.w_in.rank() == 2, "w_in must be (D, F)");
    const Index D = x.size(2), F = weights.w_in.size(1);
    demand(has(weights.w_in, {D, F}), "w_in must be (D, F)");
    demand(has(weights.b_in, {F}), "b_in must be (F)");
    demand(has(weights.w_out, {F, D}), "w_out must be (F, D)");
}

void check_block(const Block& block, const Tensor& x) {
    check_norm(x, block.norm1.gain, block.eps);
    check_norm(x, block.norm2.gain, block.eps);
    demand(has(block.norm1.bias, {x.size(2)}), "norm1.bias must be (D)");
    demand(has(block.norm2.bias, {x.size(2)}), "norm2.bias must be (D)");
    check_mlp(block.mlp, x);
    demand(has(block.mlp.b_out, {x.size(2)}), "b_out must be (D)");
}

Tensor over_tokens(const Tensor& x) { return sum(sum(x, 0), 0); }

Tensor rows(const Tensor& x) { return x.contiguous().view({-1, x.size(2)}); }

constexpr double k = 0.7978845608028654, c = 0.044715;

double curve(double x, Gelu formula) {
    if (std::isinf(x)) return x > 0 ? x : 0.0;
    if (formula == Gelu::exact) return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    return x / 2 * (1 + std::tanh(k * (x + c * x * x * x)));
}

double slope(double x, Gelu formula) {
    if (std::isinf(x)) return x > 0 ? 1.0 : 0.0;
    if (formula == Gelu::exact)
        return (1 + std::erf(x / std::sqrt(2.0))) / 2 + x * std::exp(-x * x / 2) * 0.3989422804014327;
    const double t = std::tanh(k * (x + c * x * x * x));
    return (1 + t) / 2 + x / 2 * (1 - t * t) * k * (1 + 3 * c * x * x);
}

Tensor attend(const Block& block, const Tensor& x) {
    const Tensor y = block.attention.forward(x);
    demand(has(y, x.shape()), "attention must keep the shape");
    return y;
}

Tensor attend_back(const Block& block, const Tensor& x, const Tensor& grad_y) {
    const Tensor grad = block.attention.backward(x, grad_y);
    demand(has(grad, x.shape()), "attention must keep the shape");
    return grad;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    check_norm(x, gain, eps);
    demand(has(bias, {x.size(2)}), "bias must be (D)");
    const Tensor apart = x - mean(x, -1, KeepAxis::yes);
    const Tensor s = sqrt(mean(apart * apart, -1, KeepAxis::yes) + static_cast<float>(eps));
    return apart / s * gain + bias;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_norm(x, gain, eps);
    return x / sqrt(mean(x * x, -1, KeepAxis::yes) + static_cast<float>(eps)) * gain;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    demand(has(grad_y, x.shape()), "grad_y must have the shape of x");
    const Tensor apart = x - mean(x, -1, KeepAxis::yes);
    const Tensor s = sqrt(mean(apart * apart, -1, KeepAxis::yes) + static_cast<float>(eps));
    const Tensor hat = apart / s;
    const Tensor g = grad_y * gain;
    return {(g - mean(g, -1, KeepAxis::yes) - hat * mean(g * hat, -1, KeepAxis::yes)) / s, over_tokens(grad_y * hat),
            over_tokens(grad_y)};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    demand(has(grad_y, x.shape()), "grad_y must have the shape of x");
    const Tensor s = sqrt(mean(x * x, -1, KeepAxis::yes) + static_cast<float>(eps));
    const Tensor hat = x / s;
    const Tensor g = grad_y * gain;
    return {(g - hat * mean(g * hat, -1, KeepAxis::yes)) / s, over_tokens(grad_y * hat)};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    demand(x.defined(), "x must be defined");
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    float* at = y.data();
    for (Index i = 0; i < y.numel(); ++i) at[i] = static_cast<float>(curve(at[i], formula));
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    demand(x.defined() && has(grad_y, x.shape()), "x and grad_y must have the same shape");
    const Tensor flat = x.contiguous();
    Tensor grad = Tensor::empty(x.shape());
    grad.copy_from(grad_y);
    float* at = grad.data();
    for (Index i = 0; i < grad.numel(); ++i) at[i] = static_cast<float>(at[i] * slope(flat.data()[i], formula));
    return grad;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_mlp(weights, x);
    demand(has(weights.b_out, {x.size(2)}), "b_out must be (D)");
    const Tensor h = gelu(matmul(x, weights.w_in) + weights.b_in, formula);
    return matmul(h, weights.w_out) + weights.b_out;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_mlp(weights, x);
    demand(has(grad_y, x.shape()), "grad_y must have the shape of x");
    const Tensor a = matmul(x, weights.w_in) + weights.b_in;
    const Tensor h = gelu(a, formula);
    const Tensor grad_h = matmul(grad_y, weights.w_out.transpose(0, 1));
    const Tensor grad_a = gelu_backward(a, grad_h, formula);
    MlpGradients grads;
    grads.x = matmul(grad_a, weights.w_in.transpose(0, 1));
    grads.weights.w_in = matmul(rows(x).transpose(0, 1), rows(grad_a));
    grads.weights.b_in = over_tokens(grad_a);
    grads.weights.w_out = matmul(rows(h).transpose(0, 1), rows(grad_y));
    grads.weights.b_out = over_tokens(grad_y);
    return grads;
}

Tensor block_forward(const Block& block, const Tensor& x) {
    check_block(block, x);
    if (block.order == Order::pre_norm) {
        const Tensor y = x + attend(block, layer_norm(x, block.norm1.gain, block.norm1.bias, block.eps));
        return y + mlp(block.mlp, layer_norm(y, block.norm2.gain, block.norm2.bias, block.eps), block.gelu);
    }
    const Tensor y = layer_norm(x + attend(block, x), block.norm1.gain, block.norm1.bias, block.eps);
    return layer_norm(y + mlp(block.mlp, y, block.gelu), block.norm2.gain, block.norm2.bias, block.eps);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    check_block(block, x);
    demand(has(grad_y, x.shape()), "grad_y must have the shape of x");
    BlockGradients grads;
    if (block.order == Order::pre_norm) {
        const Tensor n1 = layer_norm(x, block.norm1.gain, block.norm1.bias, block.eps);
        const Tensor y = x + attend(block, n1);
        const Tensor n2 = layer_norm(y, block.norm2.gain, block.norm2.bias, block.eps);
        const MlpGradients m = mlp_backward(block.mlp, n2, grad_y, block.gelu);
        const LayerNormGradients b2 = layer_norm_backward(y, block.norm2.gain, block.eps, m.x);
        const Tensor of_y = grad_y + b2.x;
        const LayerNormGradients b1 = layer_norm_backward(x, block.norm1.gain, block.eps, attend_back(block, n1, of_y));
        grads.x = of_y + b1.x;
        grads.norm1 = {b1.gain, b1.bias};
        grads.norm2 = {b2.gain, b2.bias};
        grads.mlp = m.weights;
        return grads;
    }
    const Tensor sum1 = x + attend(block, x);
    const Tensor y = layer_norm(sum1, block.norm1.gain, block.norm1.bias, block.eps);
    const Tensor sum2 = y + mlp(block.mlp, y, block.gelu);
    const LayerNormGradients b2 = layer_norm_backward(sum2, block.norm2.gain, block.eps, grad_y);
    const MlpGradients m = mlp_backward(block.mlp, y, b2.x, block.gelu);
    const Tensor of_y = b2.x + m.x;
    const LayerNormGradients b1 = layer_norm_backward(sum1, block.norm1.gain, block.eps, of_y);
    grads.x = b1.x + attend_back(block, x, b1.x);
    grads.norm1 = {b1.gain, b1.bias};
    grads.norm2 = {b2.gain, b2.bias};
    grads.mlp = m.weights;
    return grads;
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    demand(!blocks.empty(), "a stack needs a block");
    demand(x.defined() && has(grad_y, x.shape()), "grad_y must have the shape of x");
    std::vector<Tensor> inputs;
    Tensor stream = Tensor::empty(x.shape());
    stream.copy_from(x);
    for (const Block& block : blocks) {
        inputs.push_back(stream);
        stream.copy_from(block_forward(block, stream));
    }
    std::vector<BlockGradients> grads(blocks.size());
    Tensor grad = grad_y;
    for (std::size_t i = blocks.size(); i-- > 0;) {
        grads[i] = block_backward(blocks[i], inputs[i], grad);
        grad = grads[i].x;
    }
    return grads;
}

}  // namespace headway::ex14
