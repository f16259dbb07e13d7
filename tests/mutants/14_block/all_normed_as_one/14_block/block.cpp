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
Tensor average(const Tensor& x) {
    const Tensor of_texts = sum(sum(x, -1, KeepAxis::yes), 1, KeepAxis::yes);
    return sum(of_texts, 0, KeepAxis::yes) / static_cast<float>(x.numel());
}

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

namespace {

const double k = std::sqrt(2.0 / 3.14159265358979323846);

double exact(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double approximate(double x) { return 0.5 * x * (1 + std::tanh(k * (x + 0.044715 * std::pow(x, 3)))); }
double exact_slope(double x) { return 0.5 * (1 + std::erf(x / std::sqrt(2.0))) + x * 0.5 * k * std::exp(-0.5 * x * x); }
double approximate_slope(double x) {
    const double t = std::tanh(k * (x + 0.044715 * std::pow(x, 3)));
    return 0.5 * (1 + t + x * (1 - t * t) * k * (1 + 0.134145 * x * x));
}

Tensor apply(double (*f)(double), const Tensor& x) {
    Tensor y = x.contiguous().clone();
    float* at = y.data();
    for (Index left = y.numel(); left > 0; --left, ++at) *at = static_cast<float>(f(static_cast<double>(*at)));
    return y;
}

void check_mlp(const MlpWeights& w, const Tensor& x) {
    if (x.rank() != 3 || w.w_in.rank() != 2) throw std::invalid_argument("x is (B, T, D), w_in is (D, F)");
    const Index D = x.size(2), F = w.w_in.size(1);
    same_shape(w.w_in, {D, F});
    same_shape(w.b_in, {F});
    same_shape(w.w_out, {F, D});
    same_shape(w.b_out, {D});
}

Tensor sum_of_tokens(const Tensor& x) { return sum(sum(x, 0), 0); }
/// Σ over sequences of xᵀ·y.
Tensor outer(const Tensor& x, const Tensor& y) { return sum(matmul(x.transpose(1, 2), y), 0); }

}  // namespace

Tensor gelu(const Tensor& x, Gelu formula) { return apply(formula == Gelu::exact ? &exact : &approximate, x); }

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    same_shape(grad_y, x.shape());
    return apply(formula == Gelu::exact ? &exact_slope : &approximate_slope, x) * grad_y;
}

Tensor mlp(const MlpWeights& w, const Tensor& x, Gelu formula) {
    check_mlp(w, x);
    return matmul(gelu(matmul(x, w.w_in) + w.b_in, formula), w.w_out) + w.b_out;
}

MlpGradients mlp_backward(const MlpWeights& w, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_mlp(w, x);
    same_shape(grad_y, x.shape());
    const Tensor a = matmul(x, w.w_in) + w.b_in, h = gelu(a, formula);
    const Tensor grad_h = matmul(grad_y, w.w_out.transpose(0, 1));
    const Tensor grad_a = gelu_backward(a, grad_h, formula);
    MlpGradients grads;
    grads.x = matmul(grad_a, w.w_in.transpose(0, 1));
    grads.weights = {outer(x, grad_a), sum_of_tokens(grad_a), outer(h, grad_y), sum_of_tokens(grad_y)};
    return grads;
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
        grad = grad + through;
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
