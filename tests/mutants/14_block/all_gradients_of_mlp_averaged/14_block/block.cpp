#include "block.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

// Plain loops over indices; every sum is in double.
namespace headway::ex14 {

namespace {

constexpr double pi = 3.14159265358979323846;

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

void must_be(const Tensor& tensor, const Shape& shape, const char* name) {
    if (!tensor.defined() || tensor.shape() != shape)
        refuse(std::string(name) + " is " + to_string(tensor.shape()) + ", not " + to_string(shape));
}

void must_be_tokens(const Tensor& x) {
    if (x.rank() != 3) refuse("x is (B, T, D), not " + to_string(x.shape()));
}

void must_be_positive(double eps) {
    if (!(eps > 0)) refuse("eps is not above 0");
}

double mean_of(const Tensor& x, Index b, Index t) {
    double sum = 0;
    for (Index i = 0; i < x.size(2); ++i) sum += x(b, t, i);
    return sum / static_cast<double>(x.size(2));
}

double variance_of(const Tensor& x, Index b, Index t) {
    const double mean = mean_of(x, b, t);
    double sum = 0;
    for (Index i = 0; i < x.size(2); ++i) sum += (x(b, t, i) - mean) * (x(b, t, i) - mean);
    return sum / static_cast<double>(x.size(2));
}

double mean_square_of(const Tensor& x, Index b, Index t) {
    double sum = 0;
    for (Index i = 0; i < x.size(2); ++i) sum += static_cast<double>(x(b, t, i)) * x(b, t, i);
    return sum / static_cast<double>(x.size(2));
}

// x·w + b
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b) {
    Tensor y = Tensor::zeros({x.size(0), x.size(1), w.size(1)});
    for (Index n = 0; n < x.size(0); ++n)
        for (Index t = 0; t < x.size(1); ++t)
            for (Index o = 0; o < w.size(1); ++o) {
                double sum = b(o);
                for (Index i = 0; i < w.size(0); ++i) sum += static_cast<double>(x(n, t, i)) * w(i, o);
                y(n, t, o) = static_cast<float>(sum);
            }
    return y;
}

struct LinearGradients {
    Tensor x, w, b;
};

LinearGradients linear_backward(const Tensor& x, const Tensor& w, const Tensor& grad_y) {
    const Index in = w.size(0), out = w.size(1);
    LinearGradients grad{Tensor::zeros(x.shape()), Tensor::zeros({in, out}), Tensor::zeros({out})};
    for (Index n = 0; n < x.size(0); ++n)
        for (Index t = 0; t < x.size(1); ++t)
            for (Index i = 0; i < in; ++i) {
                double sum = 0;
                for (Index o = 0; o < out; ++o) sum += static_cast<double>(grad_y(n, t, o)) * w(i, o);
                grad.x(n, t, i) = static_cast<float>(sum);
            }
    for (Index o = 0; o < out; ++o) {
        double of_bias = 0;
        for (Index n = 0; n < x.size(0); ++n)
            for (Index t = 0; t < x.size(1); ++t) of_bias += grad_y(n, t, o);
        grad.b(o) = static_cast<float>(of_bias);
        for (Index i = 0; i < in; ++i) {
            double of_weight = 0;
            for (Index n = 0; n < x.size(0); ++n)
                for (Index t = 0; t < x.size(1); ++t) of_weight += static_cast<double>(x(n, t, i)) * grad_y(n, t, o);
            grad.w(i, o) = static_cast<float>(of_weight);
        }
    }
    return grad;
}

void must_be_mlp(const MlpWeights& weights, Index D) {
    if (weights.w_in.rank() != 2 || weights.w_in.size(0) != D) refuse("w_in is not (D, F)");
    const Index F = weights.w_in.size(1);
    must_be(weights.b_in, {F}, "b_in");
    must_be(weights.w_out, {F, D}, "w_out");
    must_be(weights.b_out, {D}, "b_out");
}

Tensor plus(const Tensor& a, const Tensor& b) {
    must_be(b, a.shape(), "what is added");
    return a + b;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    must_be_tokens(x);
    must_be(gain, {x.size(2)}, "gain");
    must_be(bias, {x.size(2)}, "bias");
    must_be_positive(eps);
    Tensor y = Tensor::zeros(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t) {
            const double mean = mean_of(x, b, t), s = std::sqrt(variance_of(x, b, t) + eps);
            for (Index i = 0; i < x.size(2); ++i)
                y(b, t, i) = static_cast<float>((x(b, t, i) - mean) / s * gain(i) + bias(i));
        }
    return y;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    must_be_tokens(x);
    must_be(gain, {x.size(2)}, "gain");
    must_be_positive(eps);
    Tensor y = Tensor::zeros(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t) {
            const double s = std::sqrt(mean_square_of(x, b, t) + eps);
            for (Index i = 0; i < x.size(2); ++i) y(b, t, i) = static_cast<float>(x(b, t, i) / s * gain(i));
        }
    return y;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    must_be_tokens(x);
    const Index D = x.size(2);
    must_be(gain, {D}, "gain");
    must_be(grad_y, x.shape(), "grad_y");
    must_be_positive(eps);
    LayerNormGradients grad{Tensor::zeros(x.shape()), Tensor::zeros({D}), Tensor::zeros({D})};
    std::vector<double> of_gain(static_cast<std::size_t>(D)), of_bias(static_cast<std::size_t>(D));
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t) {
            const double mean = mean_of(x, b, t), s = std::sqrt(variance_of(x, b, t) + eps);
            double mean_g = 0, mean_g_hat = 0;
            for (Index i = 0; i < D; ++i) {
                const double hat = (x(b, t, i) - mean) / s, g = static_cast<double>(grad_y(b, t, i)) * gain(i);
                mean_g += g;
                mean_g_hat += g * hat;
                of_gain[static_cast<std::size_t>(i)] += grad_y(b, t, i) * hat;
                of_bias[static_cast<std::size_t>(i)] += grad_y(b, t, i);
            }
            mean_g /= static_cast<double>(D);
            mean_g_hat /= static_cast<double>(D);
            for (Index i = 0; i < D; ++i) {
                const double hat = (x(b, t, i) - mean) / s, g = static_cast<double>(grad_y(b, t, i)) * gain(i);
                grad.x(b, t, i) = static_cast<float>((g - mean_g - hat * mean_g_hat) / s);
            }
        }
    for (Index i = 0; i < D; ++i) {
        grad.gain(i) = static_cast<float>(of_gain[static_cast<std::size_t>(i)]);
        grad.bias(i) = static_cast<float>(of_bias[static_cast<std::size_t>(i)]);
    }
    return grad;
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    must_be_tokens(x);
    const Index D = x.size(2);
    must_be(gain, {D}, "gain");
    must_be(grad_y, x.shape(), "grad_y");
    must_be_positive(eps);
    RmsNormGradients grad{Tensor::zeros(x.shape()), Tensor::zeros({D})};
    std::vector<double> of_gain(static_cast<std::size_t>(D));
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t) {
            const double s = std::sqrt(mean_square_of(x, b, t) + eps);
            double along = 0;
            for (Index i = 0; i < D; ++i) {
                along += static_cast<double>(grad_y(b, t, i)) * gain(i) * x(b, t, i) / s;
                of_gain[static_cast<std::size_t>(i)] += grad_y(b, t, i) * (x(b, t, i) / s);
            }
            along /= static_cast<double>(D);
            for (Index i = 0; i < D; ++i) {
                const double g = static_cast<double>(grad_y(b, t, i)) * gain(i);
                grad.x(b, t, i) = static_cast<float>((g - x(b, t, i) / s * along) / s);
            }
        }
    for (Index i = 0; i < D; ++i) grad.gain(i) = static_cast<float>(of_gain[static_cast<std::size_t>(i)]);
    return grad;
}

Tensor gelu(const Tensor& x, Gelu formula) {
    Tensor y = Tensor::empty(x.shape());
    const Tensor from = x.contiguous();
    for (Index i = 0; i < from.numel(); ++i) {
        const double u = from.data()[i];
        if (formula == Gelu::exact)
            y.data()[i] = static_cast<float>(u / 2 * (1 + std::erf(u / std::sqrt(2.0))));
        else
            y.data()[i] = static_cast<float>(u / 2 * (1 + std::tanh(std::sqrt(2 / pi) * (u + 0.044715 * u * u * u))));
    }
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    must_be(grad_y, x.shape(), "grad_y");
    Tensor grad_x = Tensor::empty(x.shape());
    const Tensor from = x.contiguous(), grad = grad_y.contiguous();
    for (Index i = 0; i < from.numel(); ++i) {
        const double u = from.data()[i];
        double slope = 0;
        if (formula == Gelu::exact) {
            const double below = (1 + std::erf(u / std::sqrt(2.0))) / 2;
            const double density = std::exp(-u * u / 2) / std::sqrt(2 * pi);
            slope = below + u * density;
        } else {
            const double k = std::sqrt(2 / pi);
            const double t = std::tanh(k * (u + 0.044715 * u * u * u));
            slope = (1 + t) / 2 + u / 2 * (1 - t * t) * k * (1 + 3 * 0.044715 * u * u);
        }
        grad_x.data()[i] = static_cast<float>(grad.data()[i] * slope);
    }
    return grad_x;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    must_be_tokens(x);
    must_be_mlp(weights, x.size(2));
    return linear(gelu(linear(x, weights.w_in, weights.b_in), formula), weights.w_out, weights.b_out);
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    must_be_tokens(x);
    must_be_mlp(weights, x.size(2));
    must_be(grad_y, x.shape(), "grad_y");
    const Tensor a = linear(x, weights.w_in, weights.b_in);
    const LinearGradients out = linear_backward(gelu(a, formula), weights.w_out, grad_y);
    const Tensor grad_a = gelu_backward(a, out.x, formula);
    const LinearGradients in = linear_backward(x, weights.w_in, grad_a);
    const auto tokens = static_cast<float>(x.size(0) * x.size(1));
    return {in.x, {in.w / tokens, in.b / tokens, out.w / tokens, out.b / tokens}};
}

Tensor block_forward(const Block& block, const Tensor& x) {
    must_be_tokens(x);
    if (block.order == Order::pre_norm) {
        const Tensor normed1 = layer_norm(x, block.norm1.gain, block.norm1.bias, block.eps);
        const Tensor y = plus(x, block.attention.forward(normed1));
        const Tensor normed2 = layer_norm(y, block.norm2.gain, block.norm2.bias, block.eps);
        return plus(y, mlp(block.mlp, normed2, block.gelu));
    } else {
        const Tensor sum1 = plus(x, block.attention.forward(x));
        const Tensor y = layer_norm(sum1, block.norm1.gain, block.norm1.bias, block.eps);
        const Tensor sum2 = plus(y, mlp(block.mlp, y, block.gelu));
        return layer_norm(sum2, block.norm2.gain, block.norm2.bias, block.eps);
    }
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    must_be_tokens(x);
    must_be(grad_y, x.shape(), "grad_y");
    BlockGradients grads;
    if (block.order == Order::pre_norm) {
        const Tensor normed1 = layer_norm(x, block.norm1.gain, block.norm1.bias, block.eps);
        const Tensor y = plus(x, block.attention.forward(normed1));
        const Tensor normed2 = layer_norm(y, block.norm2.gain, block.norm2.bias, block.eps);

        MlpGradients through_mlp = mlp_backward(block.mlp, normed2, grad_y, block.gelu);
        grads.mlp = through_mlp.weights;
        LayerNormGradients through_norm2 = layer_norm_backward(y, block.norm2.gain, block.eps, through_mlp.x);
        grads.norm2 = {through_norm2.gain, through_norm2.bias};
        const Tensor grad_sum1 = plus(grad_y, through_norm2.x);

        const Tensor through_attention = block.attention.backward(normed1, grad_sum1);
        LayerNormGradients through_norm1 = layer_norm_backward(x, block.norm1.gain, block.eps, through_attention);
        grads.norm1 = {through_norm1.gain, through_norm1.bias};
        grads.x = plus(grad_sum1, through_norm1.x);
    } else {
        const Tensor sum1 = plus(x, block.attention.forward(x));
        const Tensor y = layer_norm(sum1, block.norm1.gain, block.norm1.bias, block.eps);
        const Tensor sum2 = plus(y, mlp(block.mlp, y, block.gelu));

        LayerNormGradients through_norm2 = layer_norm_backward(sum2, block.norm2.gain, block.eps, grad_y);
        grads.norm2 = {through_norm2.gain, through_norm2.bias};
        MlpGradients through_mlp = mlp_backward(block.mlp, y, through_norm2.x, block.gelu);
        grads.mlp = through_mlp.weights;
        const Tensor grad_of_y = plus(through_norm2.x, through_mlp.x);

        LayerNormGradients through_norm1 = layer_norm_backward(sum1, block.norm1.gain, block.eps, grad_of_y);
        grads.norm1 = {through_norm1.gain, through_norm1.bias};
        grads.x = plus(through_norm1.x, block.attention.backward(x, through_norm1.x));
    }
    return grads;
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    if (blocks.empty()) refuse("no block");
    must_be_tokens(x);
    must_be(grad_y, x.shape(), "grad_y");
    const std::size_t L = blocks.size();
    std::vector<Tensor> inputs(L);
    inputs[0] = x;
    for (std::size_t i = 1; i < L; ++i) inputs[i] = block_forward(blocks[i - 1], inputs[i - 1]);
    std::vector<BlockGradients> grads(L);
    for (std::size_t i = L; i > 0; --i) {
        const Tensor& grad_out = i == L ? grad_y : grads[i].x;
        grads[i - 1] = block_backward(blocks[i - 1], inputs[i - 1], grad_out);
    }
    return grads;
}

}  // namespace headway::ex14
