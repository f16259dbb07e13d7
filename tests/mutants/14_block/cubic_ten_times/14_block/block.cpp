#include "block.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace headway::ex14 {

namespace {

void refuse_unless(bool good, const std::string& what) {
    if (!good) throw std::invalid_argument(what);
}

void same_shape(const Tensor& tensor, const Shape& shape, const std::string& name) {
    refuse_unless(tensor.shape() == shape, name + " has shape " + to_string(tensor.shape()));
}

void check_input(const Tensor& x, double eps) {
    refuse_unless(x.rank() == 3, "x must have three axes");
    refuse_unless(eps > 0, "eps must be above 0");
}

void check_weights(const MlpWeights& weights, const Tensor& x) {
    refuse_unless(x.rank() == 3, "x must have three axes");
    refuse_unless(weights.w_in.rank() == 2, "w_in must have two axes");
    const Index D = x.size(2), F = weights.w_in.size(1);
    same_shape(weights.w_in, {D, F}, "w_in");
    same_shape(weights.b_in, {F}, "b_in");
    same_shape(weights.w_out, {F, D}, "w_out");
}

constexpr double pi = 3.14159265358979323846;

struct Spread {
    double mean;
    double root;
};

Spread spread_of(const float* token, Index D, double eps) {
    double total = 0;
    for (Index i = 0; i < D; ++i) total += token[i];
    const double mean = total / static_cast<double>(D);
    double squares = 0;
    for (Index i = 0; i < D; ++i) squares += (token[i] - mean) * (token[i] - mean);
    return {mean, std::sqrt(squares / static_cast<double>(D) + eps)};
}

double root_mean_square(const float* token, Index D, double eps) {
    double squares = 0;
    for (Index i = 0; i < D; ++i) squares += static_cast<double>(token[i]) * token[i];
    return std::sqrt(squares / static_cast<double>(D) + eps);
}

double tanh_argument(double x) { return std::sqrt(2 / pi) * (x + 0.44715 * x * x * x); }

double gelu_of(double x, Gelu formula) {
    if (formula == Gelu::tanh) return x / 2 * (1 + std::tanh(tanh_argument(x)));
    return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
}

double gelu_slope(double x, Gelu formula) {
    if (formula == Gelu::tanh) {
        const double t = std::tanh(tanh_argument(x));
        const double inner = std::sqrt(2 / pi) * (1 + 3 * 0.44715 * x * x);
        return (1 + t) / 2 + x / 2 * (1 - t * t) * inner;
    }
    const double phi = std::exp(-x * x / 2) / std::sqrt(2 * pi);
    return (1 + std::erf(x / std::sqrt(2.0))) / 2 + x * phi;
}

// rows of x (N, in) times w (in, out) plus b (out)
Tensor affine(const Tensor& x, const Tensor& w, const Tensor& b) {
    const Index N = x.size(0), in = w.size(0), out = w.size(1);
    Tensor y = Tensor::empty({N, out});
    for (Index n = 0; n < N; ++n) {
        for (Index o = 0; o < out; ++o) {
            double total = b(o);
            for (Index i = 0; i < in; ++i) total += static_cast<double>(x(n, i)) * w(i, o);
            y(n, o) = static_cast<float>(total);
        }
    }
    return y;
}

// grad (N, out) times the transpose of w (in, out)
Tensor back_to_input(const Tensor& grad, const Tensor& w) {
    const Index N = grad.size(0), in = w.size(0), out = w.size(1);
    Tensor back = Tensor::empty({N, in});
    for (Index n = 0; n < N; ++n) {
        for (Index i = 0; i < in; ++i) {
            double total = 0;
            for (Index o = 0; o < out; ++o) total += static_cast<double>(grad(n, o)) * w(i, o);
            back(n, i) = static_cast<float>(total);
        }
    }
    return back;
}

Tensor weight_gradient(const Tensor& x, const Tensor& grad) {
    const Index N = x.size(0), in = x.size(1), out = grad.size(1);
    Tensor w = Tensor::empty({in, out});
    for (Index i = 0; i < in; ++i) {
        for (Index o = 0; o < out; ++o) {
            double total = 0;
            for (Index n = 0; n < N; ++n) total += static_cast<double>(x(n, i)) * grad(n, o);
            w(i, o) = static_cast<float>(total);
        }
    }
    return w;
}

Tensor bias_gradient(const Tensor& grad) {
    Tensor b = Tensor::empty({grad.size(1)});
    for (Index o = 0; o < grad.size(1); ++o) {
        double total = 0;
        for (Index n = 0; n < grad.size(0); ++n) total += grad(n, o);
        b(o) = static_cast<float>(total);
    }
    return b;
}

Tensor flat(const Tensor& x) { return x.contiguous().view({-1, x.size(2)}); }

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    check_input(x, eps);
    const Index D = x.size(2), N = x.size(0) * x.size(1);
    same_shape(gain, {D}, "gain");
    same_shape(bias, {D}, "bias");
    const Tensor in = x.contiguous();
    Tensor y = Tensor::empty(x.shape());
    for (Index n = 0; n < N; ++n) {
        const float* token = in.data() + n * D;
        const Spread spread = spread_of(token, D, eps);
        for (Index i = 0; i < D; ++i) {
            const double hat = (token[i] - spread.mean) / spread.root;
            y.data()[n * D + i] = static_cast<float>(hat * gain(i) + bias(i));
        }
    }
    return y;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_input(x, eps);
    const Index D = x.size(2), N = x.size(0) * x.size(1);
    same_shape(gain, {D}, "gain");
    const Tensor in = x.contiguous();
    Tensor y = Tensor::empty(x.shape());
    for (Index n = 0; n < N; ++n) {
        const float* token = in.data() + n * D;
        const double root = root_mean_square(token, D, eps);
        for (Index i = 0; i < D; ++i) y.data()[n * D + i] = static_cast<float>(token[i] / root * gain(i));
    }
    return y;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_input(x, eps);
    const Index D = x.size(2), N = x.size(0) * x.size(1);
    same_shape(gain, {D}, "gain");
    same_shape(grad_y, x.shape(), "grad_y");
    const Tensor in = x.contiguous(), grad = grad_y.contiguous();

    LayerNormGradients result{Tensor::empty(x.shape()), Tensor::empty({D}), Tensor::empty({D})};
    std::vector<double> gains(static_cast<std::size_t>(D)), biases(static_cast<std::size_t>(D));
    for (Index n = 0; n < N; ++n) {
        const float* token = in.data() + n * D;
        const float* up = grad.data() + n * D;
        const Spread spread = spread_of(token, D, eps);
        double mean_g = 0, mean_g_hat = 0;
        for (Index i = 0; i < D; ++i) {
            const double hat = (token[i] - spread.mean) / spread.root;
            const double g = static_cast<double>(up[i]) * gain(i);
            mean_g += g / static_cast<double>(D);
            mean_g_hat += g * hat / static_cast<double>(D);
            gains[static_cast<std::size_t>(i)] += up[i] * hat;
            biases[static_cast<std::size_t>(i)] += up[i];
        }
        for (Index i = 0; i < D; ++i) {
            const double hat = (token[i] - spread.mean) / spread.root;
            const double g = static_cast<double>(up[i]) * gain(i);
            result.x.data()[n * D + i] = static_cast<float>((g - mean_g - hat * mean_g_hat) / spread.root);
        }
    }
    for (Index i = 0; i < D; ++i) {
        result.gain(i) = static_cast<float>(gains[static_cast<std::size_t>(i)]);
        result.bias(i) = static_cast<float>(biases[static_cast<std::size_t>(i)]);
    }
    return result;
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_input(x, eps);
    const Index D = x.size(2), N = x.size(0) * x.size(1);
    same_shape(gain, {D}, "gain");
    same_shape(grad_y, x.shape(), "grad_y");
    const Tensor in = x.contiguous(), grad = grad_y.contiguous();

    RmsNormGradients result{Tensor::empty(x.shape()), Tensor::empty({D})};
    std::vector<double> gains(static_cast<std::size_t>(D));
    for (Index n = 0; n < N; ++n) {
        const float* token = in.data() + n * D;
        const float* up = grad.data() + n * D;
        const double root = root_mean_square(token, D, eps);
        double along = 0;
        for (Index i = 0; i < D; ++i) {
            const double hat = token[i] / root;
            along += static_cast<double>(up[i]) * gain(i) * hat / static_cast<double>(D);
            gains[static_cast<std::size_t>(i)] += up[i] * hat;
        }
        for (Index i = 0; i < D; ++i) {
            const double g = static_cast<double>(up[i]) * gain(i);
            result.x.data()[n * D + i] = static_cast<float>((g - token[i] / root * along) / root);
        }
    }
    for (Index i = 0; i < D; ++i) result.gain(i) = static_cast<float>(gains[static_cast<std::size_t>(i)]);
    return result;
}

Tensor gelu(const Tensor& x, Gelu formula) {
    const Tensor in = x.contiguous();
    Tensor y = Tensor::empty(x.shape());
    const float* from = in.data();
    float* to = y.data();
    for (Index i = 0; i < in.numel(); ++i) to[i] = static_cast<float>(gelu_of(from[i], formula));
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    same_shape(grad_y, x.shape(), "grad_y");
    const Tensor in = x.contiguous(), grad = grad_y.contiguous();
    Tensor back = Tensor::empty(x.shape());
    for (Index i = 0; i < in.numel(); ++i) {
        back.data()[i] = static_cast<float>(grad.data()[i] * gelu_slope(in.data()[i], formula));
    }
    return back;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_weights(weights, x);
    same_shape(weights.b_out, {x.size(2)}, "b_out");
    const Tensor hidden = gelu(affine(flat(x), weights.w_in, weights.b_in), formula);
    return affine(hidden, weights.w_out, weights.b_out).view(x.shape());
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_weights(weights, x);
    same_shape(grad_y, x.shape(), "grad_y");
    const Tensor tokens = flat(x), grad = flat(grad_y);
    const Tensor a = affine(tokens, weights.w_in, weights.b_in);
    const Tensor h = gelu(a, formula);
    const Tensor grad_h = back_to_input(grad, weights.w_out);
    const Tensor grad_a = gelu_backward(a, grad_h, formula);
    const MlpWeights of_weights{weight_gradient(tokens, grad_a), bias_gradient(grad_a), weight_gradient(h, grad),
                                bias_gradient(grad)};
    return {back_to_input(grad_a, weights.w_in).view(x.shape()), of_weights};
}

Tensor block_forward(const Block& block, const Tensor& x) {
    check_input(x, block.eps);
    same_shape(block.norm1.gain, {x.size(2)}, "norm1.gain");
    const auto norm1 = [&](const Tensor& z) { return layer_norm(z, block.norm1.gain, block.norm1.bias, block.eps); };
    const auto norm2 = [&](const Tensor& z) { return layer_norm(z, block.norm2.gain, block.norm2.bias, block.eps); };
    Tensor y, out;
    switch (block.order) {
        case Order::pre_norm:
            y = x + block.attention.forward(norm1(x));
            out = y + mlp(block.mlp, norm2(y), block.gelu);
            break;
        case Order::post_norm:
            y = norm1(x + block.attention.forward(x));
            out = norm2(y + mlp(block.mlp, y, block.gelu));
            break;
    }
    return out;
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    check_input(x, block.eps);
    same_shape(grad_y, x.shape(), "grad_y");
    same_shape(block.norm1.gain, {x.size(2)}, "norm1.gain");
    const bool pre = block.order == Order::pre_norm;
    const auto normed = [&](const NormWeights& norm, const Tensor& z) {
        return layer_norm(z, norm.gain, norm.bias, block.eps);
    };

    // The way forward: what each part was given.
    const Tensor to_attention = pre ? normed(block.norm1, x) : x;
    const Tensor sum1 = x + block.attention.forward(to_attention);
    const Tensor y = pre ? sum1 : normed(block.norm1, sum1);
    const Tensor to_mlp = pre ? normed(block.norm2, y) : y;

    // The way back.
    BlockGradients result;
    Tensor grad_of_y;
    if (pre) {
        const MlpGradients through = mlp_backward(block.mlp, to_mlp, grad_y, block.gelu);
        const LayerNormGradients second = layer_norm_backward(y, block.norm2.gain, block.eps, through.x);
        grad_of_y = grad_y + second.x;
        result.mlp = through.weights;
        result.norm2 = {second.gain, second.bias};

        const Tensor of_normed = block.attention.backward(to_attention, grad_of_y);
        const LayerNormGradients first = layer_norm_backward(x, block.norm1.gain, block.eps, of_normed);
        result.x = grad_of_y + first.x;
        result.norm1 = {first.gain, first.bias};
    } else {
        const Tensor sum2 = y + mlp(block.mlp, to_mlp, block.gelu);
        const LayerNormGradients second = layer_norm_backward(sum2, block.norm2.gain, block.eps, grad_y);
        const MlpGradients through = mlp_backward(block.mlp, to_mlp, second.x, block.gelu);
        grad_of_y = second.x + through.x;
        result.mlp = through.weights;
        result.norm2 = {second.gain, second.bias};

        const LayerNormGradients first = layer_norm_backward(sum1, block.norm1.gain, block.eps, grad_of_y);
        result.x = first.x + block.attention.backward(to_attention, first.x);
        result.norm1 = {first.gain, first.bias};
    }
    return result;
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    refuse_unless(!blocks.empty(), "a stack must have a block");
    const std::size_t L = blocks.size();
    std::vector<Tensor> inputs(L);
    inputs[0] = x;
    for (std::size_t i = 1; i < L; ++i) inputs[i] = block_forward(blocks[i - 1], inputs[i - 1]);

    std::vector<BlockGradients> grads(L);
    for (std::size_t back = 0; back < L; ++back) {
        const std::size_t i = L - 1 - back;
        const Tensor grad = back == 0 ? grad_y : grads[i + 1].x;
        grads[i] = block_backward(blocks[i], inputs[i], grad);
    }
    return grads;
}

}  // namespace headway::ex14
