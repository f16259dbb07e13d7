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

/// Two sub-layers, one after the other.
struct Step {
    NormWeights norm;
    std::function<Tensor(const Tensor&)> run;
    std::function<Tensor(const Tensor&, const Tensor&)> back;
};

std::vector<Step> steps_of(const Block& block, MlpWeights* of_mlp) {
    const auto think = [&block](const Tensor& x) { return mlp(block.mlp, x, block.gelu); };
    const auto think_back = [&block, of_mlp](const Tensor& x, const Tensor& grad) {
        const MlpGradients grads = mlp_backward(block.mlp, x, grad, block.gelu);
        *of_mlp = grads.weights;
        return grads.x;
    };
    return {{block.norm1, block.attention.forward, block.attention.backward}, {block.norm2, think, think_back}};
}

}  // namespace

Tensor block_forward(const Block& block, const Tensor& x) {
    Tensor stream = x;
    for (const Step& step : steps_of(block, nullptr)) {
        const auto norm = [&](const Tensor& some) {
            return layer_norm(some, step.norm.gain, step.norm.bias, block.eps);
        };
        if (block.order == Order::pre_norm)
            stream = stream + step.run(norm(stream));
        else
            stream = norm(stream + step.run(stream));
    }
    return stream;
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    same_shape(grad_y, x.shape());
    BlockGradients result;
    const std::vector<Step> steps = steps_of(block, &result.mlp);
    const bool pre = block.order == Order::pre_norm;
    std::vector<Tensor> into_norm, into_sublayer;
    Tensor stream = x;
    for (const Step& step : steps) {
        if (pre) into_norm.push_back(stream);
        const Tensor normed = layer_norm(stream, step.norm.gain, step.norm.bias, block.eps);
        into_sublayer.push_back(pre ? normed : stream);
        if (pre && into_sublayer.size() == 2) break;
        stream = stream + step.run(into_sublayer.back());
        if (!pre) into_norm.push_back(stream);
        if (!pre) stream = layer_norm(stream, step.norm.gain, step.norm.bias, block.eps);
    }
    Tensor grad = grad_y;
    for (const std::size_t i : {1, 0}) {
        const auto through_norm = [&](const Tensor& some) {
            const auto grads = layer_norm_backward(into_norm[i], steps[i].norm.gain, block.eps, some);
            (i == 0 ? result.norm1 : result.norm2) = {grads.gain, grads.bias};
            return grads.x;
        };
        if (!pre) grad = through_norm(grad);
        Tensor through = steps[i].back(into_sublayer[i], grad);
        if (pre) through = through_norm(through);
        grad = through;
    }
    result.x = grad;
    return result;
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
