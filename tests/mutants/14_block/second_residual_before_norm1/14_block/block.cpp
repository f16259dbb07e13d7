#include "block.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace headway::ex14 {
namespace {

void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

bool is(const Tensor& x, const Shape& shape) { return x.defined() && x.shape() == shape; }

/// f of each number.
template <class Function>
Tensor mapped(const Tensor& x, Function f) {
    const Tensor from = x.contiguous();
    Tensor to = Tensor::empty(x.shape());
    for (Index i = 0; i < from.numel(); ++i) to.data()[i] = static_cast<float>(f(static_cast<double>(from.data()[i])));
    return to;
}

/// What is normed, and √(mean of squares + eps) of each token.
struct Spread {
    Tensor apart;  // (B, T, D)
    Tensor root;   // (B, T, 1)
};

Spread spread(const Tensor& apart, double eps) {
    const Index B = apart.size(0), T = apart.size(1), D = apart.size(2);
    Tensor root = Tensor::empty({B, T, 1});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            double squares = 0;
            for (Index i = 0; i < D; ++i) squares += std::pow(static_cast<double>(apart(b, t, i)), 2);
            root(b, t, 0) = static_cast<float>(std::sqrt(squares / static_cast<double>(D) + eps));
        }
    return {apart, root};
}

Tensor centred(const Tensor& x) {
    const Tensor apart = x - mean(x, -1, KeepAxis::yes);
    return apart - mean(apart, -1, KeepAxis::yes);  // what rounding left of the mean
}

void check_norm(const Tensor& x, const Tensor& gain, double eps) {
    require(x.rank() == 3, "norm: x must be (B, T, D)");
    require(is(gain, {x.size(2)}), "norm: gain must be (D)");
    require(eps > 0, "norm: eps must be above 0");
}

Tensor over_tokens(const Tensor& x) { return sum(sum(x, 0), 0); }

/// (B, T, N) -> (B T, N)
Tensor flat(const Tensor& x) { return x.contiguous().view({x.size(0) * x.size(1), x.size(2)}); }

void check_mlp(const MlpWeights& w, const Tensor& x) {
    require(x.rank() == 3, "mlp: x must be (B, T, D)");
    const Index D = x.size(2);
    require(w.w_in.rank() == 2 && w.w_in.size(0) == D, "mlp: w_in must be (D, F)");
    const Index F = w.w_in.size(1);
    require(is(w.b_in, {F}), "mlp: b_in must be (F)");
    require(is(w.w_out, {F, D}), "mlp: w_out must be (F, D)");
}

Tensor norm(const NormWeights& w, const Tensor& x, double eps) { return layer_norm(x, w.gain, w.bias, eps); }

Tensor attended(const Block& block, const Tensor& x) {
    const Tensor result = block.attention.forward(x);
    require(is(result, x.shape()), "block: attention must keep the shape");
    return result;
}

Tensor attended_backward(const Block& block, const Tensor& x, const Tensor& grad) {
    const Tensor result = block.attention.backward(x, grad);
    require(is(result, x.shape()), "block: attention's gradient must have the shape of x");
    return result;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    check_norm(x, gain, eps);
    require(is(bias, {x.size(2)}), "layer_norm: bias must be (D)");
    const auto [apart, root] = spread(centred(x), eps);
    return apart / root * gain + bias;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_norm(x, gain, eps);
    return x / spread(x, eps).root * gain;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    require(is(grad_y, x.shape()), "layer_norm_backward: grad_y must have the shape of x");
    const auto [apart, root] = spread(centred(x), eps);
    const Tensor hat = apart / root, g = grad_y * gain;
    const Tensor along = hat * mean(g * hat, -1, KeepAxis::yes);
    return {(g - mean(g, -1, KeepAxis::yes) - along) / root, over_tokens(grad_y * hat), over_tokens(grad_y)};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    require(is(grad_y, x.shape()), "rms_norm_backward: grad_y must have the shape of x");
    const Tensor root = spread(x, eps).root;
    const Tensor hat = x / root, g = grad_y * gain;
    return {(g - hat * mean(g * hat, -1, KeepAxis::yes)) / root, over_tokens(grad_y * hat)};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    require(x.defined(), "gelu: nothing there");
    if (formula == Gelu::exact)
        return mapped(x, [](double a) { return a / 2 * (1 + std::erf(a / std::numbers::sqrt2)); });
    const double k = std::sqrt(2 / std::numbers::pi);
    return mapped(x, [=](double a) { return a / 2 * (1 + std::tanh(k * (a + 0.044715 * a * a * a))); });
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    require(x.defined() && is(grad_y, x.shape()), "gelu_backward: grad_y must have the shape of x");
    if (formula == Gelu::exact)
        return grad_y * mapped(x, [](double a) {
                   const double below = (1 + std::erf(a / std::numbers::sqrt2)) / 2;
                   return below + a * std::exp(-a * a / 2) / std::sqrt(2 * std::numbers::pi);
               });
    const double k = std::sqrt(2 / std::numbers::pi), c = 0.044715;
    return grad_y * mapped(x, [=](double a) {
               const double t = std::tanh(k * (a + c * a * a * a));
               return (1 + t) / 2 + a / 2 * (1 - t * t) * k * (1 + 3 * c * a * a);
           });
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_mlp(weights, x);
    require(is(weights.b_out, {x.size(2)}), "mlp: b_out must be (D)");
    return matmul(gelu(matmul(x, weights.w_in) + weights.b_in, formula), weights.w_out) + weights.b_out;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_mlp(weights, x);
    require(is(grad_y, x.shape()), "mlp_backward: grad_y must have the shape of x");
    const Tensor a = matmul(x, weights.w_in) + weights.b_in, h = gelu(a, formula);
    const Tensor grad_h = matmul(grad_y, weights.w_out.transpose(0, 1));
    const Tensor grad_a = gelu_backward(a, grad_h, formula);
    MlpGradients grad;
    grad.x = matmul(grad_a, weights.w_in.transpose(0, 1));
    grad.weights.w_in = matmul(flat(x).transpose(0, 1), flat(grad_a));
    grad.weights.b_in = over_tokens(grad_a);
    grad.weights.w_out = matmul(flat(h).transpose(0, 1), flat(grad_y));
    grad.weights.b_out = over_tokens(grad_y);
    return grad;
}

Tensor block_forward(const Block& block, const Tensor& x) {
    require(x.rank() == 3, "block_forward: x must be (B, T, D)");
    if (block.order == Order::pre_norm) {
        const Tensor y = x + attended(block, norm(block.norm1, x, block.eps));
        return y + mlp(block.mlp, norm(block.norm2, y, block.eps), block.gelu);
    }
    const Tensor s = x + attended(block, x);
    const Tensor y = norm(block.norm1, s, block.eps);
    return norm(block.norm2, s + mlp(block.mlp, y, block.gelu), block.eps);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    require(x.rank() == 3, "block_backward: x must be (B, T, D)");
    require(is(grad_y, x.shape()), "block_backward: grad_y must have the shape of x");
    const double eps = block.eps;
    if (block.order == Order::pre_norm) {
        const Tensor n = norm(block.norm1, x, eps);
        const Tensor y = x + attended(block, n);
        const MlpGradients of_mlp = mlp_backward(block.mlp, norm(block.norm2, y, eps), grad_y, block.gelu);
        const LayerNormGradients second = layer_norm_backward(y, block.norm2.gain, eps, of_mlp.x);
        const Tensor grad = grad_y + second.x;
        const Tensor grad_n = attended_backward(block, n, grad);
        const LayerNormGradients first = layer_norm_backward(x, block.norm1.gain, eps, grad_n);
        return {grad + first.x, {first.gain, first.bias}, {second.gain, second.bias}, of_mlp.weights};
    }
    const Tensor s = x + attended(block, x);
    const Tensor y = norm(block.norm1, s, eps);
    const Tensor r = y + mlp(block.mlp, y, block.gelu);
    const LayerNormGradients second = layer_norm_backward(r, block.norm2.gain, eps, grad_y);
    const MlpGradients of_mlp = mlp_backward(block.mlp, y, second.x, block.gelu);
    const LayerNormGradients first = layer_norm_backward(s, block.norm1.gain, eps, second.x + of_mlp.x);
    const Tensor grad_x = first.x + attended_backward(block, x, first.x);
    return {grad_x, {first.gain, first.bias}, {second.gain, second.bias}, of_mlp.weights};
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    require(!blocks.empty(), "stack_backward: there is no block");
    require(x.rank() == 3 && is(grad_y, x.shape()), "stack_backward: x and grad_y must be (B, T, D)");
    std::vector<Tensor> inputs{x};
    while (inputs.size() < blocks.size()) inputs.push_back(block_forward(blocks[inputs.size() - 1], inputs.back()));
    std::vector<BlockGradients> grads(blocks.size());
    Tensor grad = grad_y;
    for (std::size_t i = blocks.size(); i-- > 0;) {
        grads[i] = block_backward(blocks[i], inputs[i], grad);
        grad = grads[i].x;
    }
    return grads;
}

}  // namespace headway::ex14
