#include "block.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace headway::ex14 {
namespace {

struct Wrong : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

void shape_is(const Tensor& x, const Shape& shape, const char* name) {
    if (x.shape() != shape) throw Wrong(std::string(name) + ": " + to_string(x.shape()));
}

void eps_is_fine(double eps) {
    if (!(eps > 0)) throw Wrong("eps is not above 0");
}

std::array<Index, 3> sizes(const Tensor& x) {
    if (x.rank() != 3) throw Wrong("x: " + to_string(x.shape()));
    return {x.size(0), x.size(1), x.size(2)};
}

// mean of one token, and of the squares of what is left
void statistics(const Tensor& x, Index b, Index t, double& mean, double& square) {
    const Index D = x.size(2);
    mean = 0;
    for (Index i = 0; i < D; ++i) mean += x(b, t, i);
    mean /= double(D);
    square = 0;
    for (Index i = 0; i < D; ++i) square += (x(b, t, i) - mean) * (x(b, t, i) - mean);
    square /= double(D);
}

// plain loops for a linear map of each token: y = x·w + b
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b) {
    const auto [B, T, in] = sizes(x);
    const Index out = w.size(1);
    Tensor y = Tensor::zeros({B, T, out});
    for (Index text = 0; text < B; ++text)
        for (Index t = 0; t < T; ++t)
            for (Index o = 0; o < out; ++o) {
                double total = b.defined() ? double(b(o)) : 0.0;
                for (Index i = 0; i < in; ++i) total += double(x(text, t, i)) * w(i, o);
                y(text, t, o) = float(total);
            }
    return y;
}

// what went in, times the gradient of what came out
void linear_weights(const Tensor& x, const Tensor& grad, Tensor& w, Tensor& b) {
    const Index N = x.size(0), T = x.size(1), in = x.size(2), out = grad.size(2);
    w = Tensor::zeros({in, out});
    b = Tensor::zeros({out});
    for (Index o = 0; o < out; ++o) {
        double of_bias = 0;
        for (Index n = 0; n < N; ++n)
            for (Index t = 0; t < T; ++t) of_bias += grad(n, t, o);
        b(o) = float(of_bias);
        for (Index i = 0; i < in; ++i) {
            double of_weight = 0;
            for (Index n = 0; n < N; ++n)
                for (Index t = 0; t < T; ++t) of_weight += double(x(n, t, i)) * grad(n, t, o);
            w(i, o) = float(of_weight);
        }
    }
}

void check(const MlpWeights& weights, const Tensor& x) {
    const Index D = sizes(x)[2];
    if (weights.w_in.rank() != 2) throw Wrong("w_in");
    const Index F = weights.w_in.size(1);
    shape_is(weights.w_in, {D, F}, "w_in");
    shape_is(weights.b_in, {F}, "b_in");
    shape_is(weights.w_out, {F, D}, "w_out");
}

template <class F>
Tensor each(const Tensor& x, F f) {
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    for (float *p = y.data(), *end = p + y.numel(); p != end; ++p) *p = float(f(double(*p)));
    return y;
}

const double root_pi = std::sqrt(std::acos(-1.0));
const double root_2 = std::sqrt(2.0);

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    const auto [B, T, D] = sizes(x);
    shape_is(gain, {D}, "gain");
    shape_is(bias, {D}, "bias");
    eps_is_fine(eps);
    Tensor y = Tensor::zeros({B, T, D});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            double mean, variance;
            statistics(x, b, t, mean, variance);
            const double s = std::sqrt(variance + eps);
            for (Index i = 0; i < D; ++i) y(b, t, i) = float((x(b, t, i) - mean) / s * gain(i) + bias(i));
        }
    return y;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    const auto [B, T, D] = sizes(x);
    shape_is(gain, {D}, "gain");
    eps_is_fine(eps);
    Tensor y = Tensor::zeros({B, T, D});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            double mean, variance;
            statistics(x, b, t, mean, variance);
            const double s = std::sqrt(variance + mean * mean + eps);  // the mean of squares
            for (Index i = 0; i < D; ++i) y(b, t, i) = float(x(b, t, i) / s * gain(i));
        }
    return y;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    const auto [B, T, D] = sizes(x);
    shape_is(gain, {D}, "gain");
    shape_is(grad_y, x.shape(), "grad_y");
    eps_is_fine(eps);
    LayerNormGradients grads{Tensor::zeros({B, T, D}), Tensor::zeros({D}), Tensor::zeros({D})};
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            double mean, variance;
            statistics(x, b, t, mean, variance);
            const double s = std::sqrt(variance + eps);
            double mean_g = 0, mean_gx = 0;
            for (Index i = 0; i < D; ++i) {
                const double hat = (x(b, t, i) - mean) / s, grad = grad_y(b, t, i);
                mean_g += grad * gain(i) / double(D);
                mean_gx += grad * gain(i) * hat / double(D);
                grads.gain(i) += float(grad * hat);
                grads.bias(i) += float(grad);
            }
            for (Index i = 0; i < D; ++i) {
                const double hat = (x(b, t, i) - mean) / s;
                grads.x(b, t, i) = float((double(grad_y(b, t, i)) * gain(i) - mean_g - hat * mean_gx) / s);
            }
        }
    return grads;
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    const auto [B, T, D] = sizes(x);
    shape_is(gain, {D}, "gain");
    shape_is(grad_y, x.shape(), "grad_y");
    eps_is_fine(eps);
    RmsNormGradients grads{Tensor::zeros({B, T, D}), Tensor::zeros({D})};
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            double squares = 0, along = 0;
            for (Index i = 0; i < D; ++i) {
                squares += double(x(b, t, i)) * x(b, t, i);
                along += double(grad_y(b, t, i)) * gain(i) * x(b, t, i);
            }
            const double s2 = squares / double(D) + eps, s = std::sqrt(s2);
            for (Index i = 0; i < D; ++i) {
                const double g = double(grad_y(b, t, i)) * gain(i);
                grads.x(b, t, i) = float((g - x(b, t, i) * along / (double(D) * s2)) / s);
                grads.gain(i) += float(grad_y(b, t, i) * x(b, t, i) / s);
            }
        }
    return grads;
}

Tensor gelu(const Tensor& x, Gelu formula) {
    return each(x, [=](double u) {
        const double inner = formula == Gelu::exact ? std::erf(u / root_2)
                                                    : std::tanh(root_2 / root_pi * (u + 0.044715 * std::pow(u, 3)));
        return 0.5 * u * (1.0 + inner);
    });
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    shape_is(grad_y, x.shape(), "grad_y");
    const Tensor slope = each(x, [=](double u) {
        double inner, derivative;
        if (formula == Gelu::exact) {
            inner = std::erf(u / root_2);
            derivative = 2 / root_pi * std::exp(-u * u / 2);
        } else {
            inner = std::tanh(root_2 / root_pi * (u + 0.044715 * u * u * u));
            derivative = (1 - inner * inner) * root_2 / root_pi * (1 + 3 * 0.044715 * u * u);
        }
        return 0.5 * (1.0 + inner) + 0.5 * u * derivative;
    });
    return slope * grad_y;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check(weights, x);
    shape_is(weights.b_out, {x.size(2)}, "b_out");
    return linear(gelu(linear(x, weights.w_in, weights.b_in), formula), weights.w_out, weights.b_out);
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check(weights, x);
    shape_is(grad_y, x.shape(), "grad_y");
    const Tensor a = linear(x, weights.w_in, weights.b_in), h = gelu(a, formula);
    const Tensor grad_h = linear(grad_y, weights.w_out.transpose(0, 1), Tensor{});
    const Tensor grad_a = gelu_backward(a, grad_h, formula);
    MlpGradients grads;
    linear_weights(h, grad_y, grads.weights.w_out, grads.weights.b_out);
    linear_weights(x, grad_a, grads.weights.w_in, grads.weights.b_in);
    grads.x = linear(grad_a, weights.w_in.transpose(0, 1), Tensor{});
    return grads;
}

Tensor block_forward(const Block& block, const Tensor& x) {
    sizes(x);
    const bool pre = block.order == Order::pre_norm;
    const Tensor n = pre ? layer_norm(x, block.norm1.gain, block.norm1.bias, block.eps) : x;
    Tensor y = x + block.attention.forward(n);
    if (!pre) y = layer_norm(y, block.norm1.gain, block.norm1.bias, block.eps);
    const Tensor m = pre ? layer_norm(y, block.norm2.gain, block.norm2.bias, block.eps) : y;
    Tensor z = y + mlp(block.mlp, m, block.gelu);
    if (!pre) z = layer_norm(z, block.norm2.gain, block.norm2.bias, block.eps);
    return z;
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    sizes(x);
    shape_is(grad_y, x.shape(), "grad_y");
    const bool pre = block.order == Order::pre_norm;
    // forwards
    const Tensor n = pre ? layer_norm(x, block.norm1.gain, block.norm1.bias, block.eps) : x;
    const Tensor s = x + block.attention.forward(n);
    const Tensor y = pre ? s : layer_norm(s, block.norm1.gain, block.norm1.bias, block.eps);
    const Tensor m = pre ? layer_norm(y, block.norm2.gain, block.norm2.bias, block.eps) : y;

    // backwards
    BlockGradients grads;
    Tensor g = grad_y;
    if (!pre) {
        const Tensor z = y + mlp(block.mlp, m, block.gelu);
        const LayerNormGradients second = layer_norm_backward(z, block.norm2.gain, block.eps, g);
        grads.norm2 = {second.gain, second.bias};
        g = second.x;
    }
    const MlpGradients thought = mlp_backward(block.mlp, m, g, block.gelu);
    grads.mlp = thought.weights;
    if (pre) {
        const LayerNormGradients second = layer_norm_backward(y, block.norm2.gain, block.eps, thought.x);
        grads.norm2 = {second.gain, second.bias};
        g = g + second.x;
    } else {
        const LayerNormGradients first = layer_norm_backward(s, block.norm1.gain, block.eps, g + thought.x);
        grads.norm1 = {first.gain, first.bias};
        g = first.x;
    }
    Tensor looked = block.attention.backward(n, g);
    if (pre) {
        const LayerNormGradients first = layer_norm_backward(x, block.norm1.gain, block.eps, looked);
        grads.norm1 = {first.gain, first.bias};
        looked = first.x;
    }
    grads.x = g + looked;
    return grads;
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    if (blocks.empty()) throw Wrong("no block");
    sizes(x);
    shape_is(grad_y, x.shape(), "grad_y");
    std::vector<BlockGradients> grads(blocks.size());
    Tensor g = grad_y;
    for (std::size_t left = blocks.size(); left > 0; --left) {
        // what is not kept is computed once more
        Tensor input = x;
        for (std::size_t i = 0; i + 1 < left; ++i) input = block_forward(blocks[i], input);
        grads[left - 1] = block_backward(blocks[left - 1], input, g);
        g = grads[left - 1].x;
    }
    return grads;
}

}  // namespace headway::ex14
