#include "block.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex14 {
namespace {

using std::invalid_argument;

void same_shape(const Tensor& x, const Shape& wanted) {
    if (!x.defined() || x.shape() != wanted) throw invalid_argument("a shape does not fit");
}

/// Of each token.
Tensor average(const Tensor& x) { return sum(x, -1, KeepAxis::yes) / static_cast<float>(x.size(-1)); }

Tensor root(const Tensor& squares, double eps) { return sqrt(squares + static_cast<float>(eps)); }

/// Summed over batch and tokens.
Tensor per_feature(const Tensor& x) { return sum(sum(x, 1), 0); }

void check_norm(const Tensor& x, const Tensor& gain, double eps) {
    if (x.rank() != 3) throw std::invalid_argument("x needs three axes");
    same_shape(gain, {x.size(2)});
    if (!(eps > 0)) throw std::invalid_argument("eps is not positive");
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    check_norm(x, gain, eps);
    same_shape(bias, gain.shape());
    const Tensor apart = x - average(x);
    const Tensor hat = apart / root(average(apart * apart), eps);
    return hat * gain + bias;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_norm(x, gain, eps);
    return x / root(average(x * x), eps) * gain;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    same_shape(grad_y, x.shape());
    const Tensor apart = x - average(x), s = root(average(apart * apart), eps);
    const Tensor hat = apart / s, g = grad_y * gain;
    LayerNormGradients grads;
    grads.x = (g - average(g) - hat * average(g * hat)) / s;
    grads.gain = per_feature(grad_y * hat);
    grads.bias = per_feature(grad_y);
    return grads;
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    same_shape(grad_y, x.shape());
    const Tensor s = root(average(x * x), eps);
    const Tensor hat = x / s, g = grad_y * gain;
    RmsNormGradients grads;
    grads.x = (g - hat * average(g * hat)) / s;
    grads.gain = per_feature(grad_y * hat);
    return grads;
}

Tensor gelu(const Tensor& x, Gelu formula) {
    const Tensor dense = x.contiguous();
    Tensor y = Tensor::empty(x.shape());
    for (Index i = 0; i < y.numel(); ++i) {
        const float v = dense.data()[i];
        const float inside = 0.79788456F * (v + 0.044715F * v * v * v);
        const float share = formula == Gelu::tanh ? 1 + std::tanh(inside) : std::erfc(-v * 0.70710678F);
        y.data()[i] = v * share / 2;
    }
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    same_shape(grad_y, x.shape());
    const Tensor dense = x.contiguous();
    Tensor y = grad_y.contiguous().clone();
    for (Index i = 0; i < y.numel(); ++i) {
        const float v = dense.data()[i];
        const float t = std::tanh(0.79788456F * (v + 0.044715F * v * v * v));
        const float bend = (1 - t) * (1 + t) * (1 + 0.134145F * v * v) * 2;
        y.data()[i] *= formula == Gelu::tanh ? (1 + t) / 2 + v * bend * 0.19947114F
                                             : std::erfc(-v * 0.70710678F) / 2 + v * std::exp(-v * v / 2) * 0.39894228F;
    }
    return y;
}

namespace {

struct Linear {
    const Tensor &w, &b;
    Tensor operator()(const Tensor& x) const {
        same_shape(b, {w.size(1)});
        return matmul(x, w) + b;
    }
    /// @param grad_w, grad_b  assigned to
    Tensor back(const Tensor& x, const Tensor& grad, Tensor& grad_w, Tensor& grad_b) const {
        const Index tokens = x.size(0) * x.size(1);
        const Tensor in = x.contiguous().view({tokens, x.size(2)});
        const Tensor out = grad.contiguous().view({tokens, grad.size(2)});
        grad_w = matmul(in.transpose(0, 1), out);
        grad_b = sum(out, 0);
        return matmul(grad, w.transpose(0, 1));
    }
};

void fitting(const MlpWeights& weights, const Tensor& x) {
    if (x.rank() != 3) throw std::invalid_argument("x is no batch of sequences");
    if (weights.w_in.rank() != 2 || weights.w_in.size(0) != x.size(2)) throw std::invalid_argument("w_in does not fit");
    same_shape(weights.w_out, {weights.w_in.size(1), x.size(2)});
    same_shape(weights.b_in, {weights.w_in.size(1)});
    same_shape(weights.b_out, {x.size(2)});
}

}  // namespace

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    fitting(weights, x);
    const Linear in{weights.w_in, weights.b_in}, out{weights.w_out, weights.b_out};
    return out(gelu(in(x), formula));
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    fitting(weights, x);
    same_shape(grad_y, x.shape());
    const Linear in{weights.w_in, weights.b_in}, out{weights.w_out, weights.b_out};
    const Tensor before = in(x);
    MlpGradients result;
    MlpWeights& grads = result.weights;
    const Tensor of_hidden = out.back(gelu(before, formula), grad_y, grads.w_out, grads.b_out);
    result.x = in.back(x, gelu_backward(before, of_hidden, formula), grads.w_in, grads.b_in);
    return result;
}

namespace {

Tensor norm1(const Block& block, const Tensor& x) {
    return layer_norm(x, block.norm1.gain, block.norm1.bias, block.eps);
}
Tensor norm2(const Block& block, const Tensor& x) {
    return layer_norm(x, block.norm2.gain, block.norm2.bias, block.eps);
}

BlockGradients pre_norm_backward(const Block& block, const Tensor& x, const Tensor& grad_out) {
    const Tensor a = norm1(block, x), y = x + block.attention.forward(a), b = norm2(block, y);
    const MlpGradients of_mlp = mlp_backward(block.mlp, b, grad_out, block.gelu);
    const LayerNormGradients of_norm2 = layer_norm_backward(y, block.norm2.gain, block.eps, of_mlp.x);
    const Tensor grad_y = grad_out + of_norm2.x;
    const Tensor grad_a = block.attention.backward(a, grad_y);
    const LayerNormGradients of_norm1 = layer_norm_backward(x, block.norm1.gain, block.eps, grad_a);
    const Tensor grad_x = grad_y + of_norm1.x;
    return {grad_x, {of_norm1.gain, of_norm1.bias}, {of_norm2.gain, of_norm2.bias}, of_mlp.weights};
}

BlockGradients post_norm_backward(const Block& block, const Tensor& x, const Tensor& grad_out) {
    const Tensor a = x + block.attention.forward(x), y = norm1(block, a), b = y + mlp(block.mlp, y, block.gelu);
    const LayerNormGradients of_norm2 = layer_norm_backward(b, block.norm2.gain, block.eps, grad_out);
    const MlpGradients of_mlp = mlp_backward(block.mlp, y, of_norm2.x, block.gelu);
    const Tensor grad_y = of_norm2.x + of_mlp.x;
    const LayerNormGradients of_norm1 = layer_norm_backward(a, block.norm1.gain, block.eps, grad_y);
    const Tensor grad_x = of_norm1.x + block.attention.backward(x, of_norm1.x);
    return {grad_x, {of_norm1.gain, of_norm1.bias}, {of_norm2.gain, of_norm2.bias}, of_mlp.weights};
}

}  // namespace

Tensor block_forward(const Block& block, const Tensor& x) {
    if (block.order == Order::post_norm) {
        const Tensor y = norm1(block, x + block.attention.forward(x));
        return norm2(block, y + mlp(block.mlp, y, block.gelu));
    }
    const Tensor y = norm1(block, x) + block.attention.forward(norm1(block, x));
    return y + mlp(block.mlp, norm2(block, y), block.gelu);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    same_shape(grad_y, x.shape());
    return (block.order == Order::pre_norm ? &pre_norm_backward : &post_norm_backward)(block, x, grad_y);
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    if (blocks.empty()) throw std::invalid_argument("no blocks");
    same_shape(grad_y, x.shape());
    std::vector<Tensor> input{x};
    for (const Block& block : blocks) input.push_back(block_forward(block, input.back()));
    std::vector<BlockGradients> all(blocks.size());
    Tensor grad = grad_y;
    for (auto i = static_cast<int>(blocks.size()) - 1; i >= 0; --i) {
        const auto n = static_cast<std::size_t>(i);
        all[n] = block_backward(blocks[n], input[n], grad);
        grad = all[n].x;
    }
    return all;
}

}  // namespace headway::ex14
