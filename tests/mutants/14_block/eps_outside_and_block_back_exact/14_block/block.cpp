#include "block.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex14 {

// index by index, float wherever it does

static void check_x(const Tensor& x) {
    if (x.rank() != 3) throw std::invalid_argument("x must have three axes");
}

static void check_vector(const Tensor& v, Index n) {
    if (v.rank() != 1 || v.size(0) != n) throw std::invalid_argument("a vector has the wrong size");
}

static void check_eps(double eps) {
    if (!(eps > 0)) throw std::invalid_argument("eps must be above 0");
}

static void check_grad(const Tensor& x, const Tensor& grad_y) {
    if (x.shape() != grad_y.shape()) throw std::invalid_argument("x and grad_y must have one shape");
}

static void check_weights(const MlpWeights& w, const Tensor& x) {
    check_x(x);
    if (w.w_in.rank() != 2 || w.w_out.rank() != 2) throw std::invalid_argument("weights must be matrices");
    if (w.w_in.size(0) != x.size(2)) throw std::invalid_argument("w_in does not fit x");
    check_vector(w.b_in, w.w_in.size(1));
    if (w.w_out.size(0) != w.w_in.size(1)) throw std::invalid_argument("w_out does not fit w_in");
    if (w.w_out.size(1) != x.size(2)) throw std::invalid_argument("w_out does not fit x");
}

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    check_x(x);
    check_eps(eps);
    Index B = x.size(0), T = x.size(1), D = x.size(2);
    check_vector(gain, D);
    check_vector(bias, D);
    Tensor y = Tensor::zeros({B, T, D});
    for (Index b = 0; b < B; b++) {
        for (Index t = 0; t < T; t++) {
            double mean = 0;
            for (Index i = 0; i < D; i++) mean += x(b, t, i);
            mean /= D;
            double variance = 0;
            for (Index i = 0; i < D; i++) {
                double apart = x(b, t, i) - mean;
                variance += apart * apart;
            }
            variance /= D;
            double s = std::sqrt(variance + eps);
            for (Index i = 0; i < D; i++) y(b, t, i) = static_cast<float>((x(b, t, i) - mean) / s * gain(i) + bias(i));
        }
    }
    return y;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_x(x);
    check_eps(eps);
    Index B = x.size(0), T = x.size(1), D = x.size(2);
    check_vector(gain, D);
    Tensor y = Tensor::zeros({B, T, D});
    for (Index b = 0; b < B; b++) {
        for (Index t = 0; t < T; t++) {
            double squares = 0;
            for (Index i = 0; i < D; i++) squares += static_cast<double>(x(b, t, i)) * x(b, t, i);
            double s = std::sqrt(squares / D + eps);
            for (Index i = 0; i < D; i++) y(b, t, i) = static_cast<float>(x(b, t, i) / s * gain(i));
        }
    }
    return y;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_x(x);
    check_eps(eps);
    check_grad(x, grad_y);
    Index B = x.size(0), T = x.size(1), D = x.size(2);
    check_vector(gain, D);
    LayerNormGradients grads;
    grads.x = Tensor::zeros({B, T, D});
    grads.gain = Tensor::zeros({D});
    grads.bias = Tensor::zeros({D});
    for (Index b = 0; b < B; b++) {
        for (Index t = 0; t < T; t++) {
            double mean = 0, variance = 0;
            for (Index i = 0; i < D; i++) mean += x(b, t, i) / static_cast<double>(D);
            for (Index i = 0; i < D; i++) variance += (x(b, t, i) - mean) * (x(b, t, i) - mean) / D;
            double s = std::sqrt(variance) + eps;
            double mean_g = 0, mean_gx = 0;
            for (Index i = 0; i < D; i++) {
                double hat = (x(b, t, i) - mean) / s;
                double g = static_cast<double>(grad_y(b, t, i)) * gain(i);
                mean_g += g / D;
                mean_gx += g * hat / D;
                grads.gain(i) += static_cast<float>(grad_y(b, t, i) * hat);
                grads.bias(i) += grad_y(b, t, i);
            }
            for (Index i = 0; i < D; i++) {
                double hat = (x(b, t, i) - mean) / s;
                double g = static_cast<double>(grad_y(b, t, i)) * gain(i);
                grads.x(b, t, i) = static_cast<float>((g - mean_g - hat * mean_gx) / s);
            }
        }
    }
    return grads;
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_x(x);
    check_eps(eps);
    check_grad(x, grad_y);
    Index B = x.size(0), T = x.size(1), D = x.size(2);
    check_vector(gain, D);
    RmsNormGradients grads;
    grads.x = Tensor::zeros({B, T, D});
    grads.gain = Tensor::zeros({D});
    for (Index b = 0; b < B; b++) {
        for (Index t = 0; t < T; t++) {
            double square = 0, dot = 0;
            for (Index i = 0; i < D; i++) square += static_cast<double>(x(b, t, i)) * x(b, t, i) / D;
            double s = std::sqrt(square + eps);
            for (Index i = 0; i < D; i++) {
                dot += static_cast<double>(grad_y(b, t, i)) * gain(i) * (x(b, t, i) / s) / D;
                grads.gain(i) += static_cast<float>(grad_y(b, t, i) * (x(b, t, i) / s));
            }
            for (Index i = 0; i < D; i++) {
                double g = static_cast<double>(grad_y(b, t, i)) * gain(i);
                grads.x(b, t, i) = static_cast<float>((g - x(b, t, i) / s * dot) / s);
            }
        }
    }
    return grads;
}

static const double root_2_over_pi = 0.79788456080286535588;

static double gelu_at(double x, Gelu formula) {
    if (formula == Gelu::tanh) return x / 2 * (1 + std::tanh(root_2_over_pi * (x + 0.044715 * x * x * x)));
    return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
}

static double gelu_slope(double x, Gelu formula) {
    if (formula == Gelu::tanh) {
        double t = std::tanh(root_2_over_pi * (x + 0.044715 * x * x * x));
        double du = root_2_over_pi * (1 + 3 * 0.044715 * x * x);
        return (1 + t) / 2 + x / 2 * (1 - t * t) * du;
    }
    double cdf = (1 + std::erf(x / std::sqrt(2.0))) / 2;
    double pdf = std::exp(-x * x / 2) * root_2_over_pi / 2;
    return cdf + x * pdf;
}

Tensor gelu(const Tensor& x, Gelu formula) {
    Tensor y = Tensor::zeros(x.shape());
    Tensor flat = x.contiguous();
    for (Index i = 0; i < x.numel(); i++) y.data()[i] = static_cast<float>(gelu_at(flat.data()[i], formula));
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_grad(x, grad_y);
    Tensor slopes = Tensor::zeros(x.shape());
    Tensor flat = x.contiguous();
    for (Index i = 0; i < x.numel(); i++) slopes.data()[i] = static_cast<float>(gelu_slope(flat.data()[i], formula));
    return slopes * grad_y;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_weights(weights, x);
    check_vector(weights.b_out, x.size(2));
    Tensor y = Tensor::zeros(x.shape());
    for (Index b = 0; b < x.size(0); b++) {
        Tensor a = matmul(x[b], weights.w_in) + weights.b_in;
        y[b].copy_from(matmul(gelu(a, formula), weights.w_out) + weights.b_out);
    }
    return y;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_weights(weights, x);
    check_grad(x, grad_y);
    MlpGradients grads;
    grads.x = Tensor::zeros(x.shape());
    grads.weights.w_in = Tensor::zeros(weights.w_in.shape());
    grads.weights.b_in = Tensor::zeros(weights.b_in.shape());
    grads.weights.w_out = Tensor::zeros(weights.w_out.shape());
    grads.weights.b_out = Tensor::zeros({x.size(2)});
    for (Index b = 0; b < x.size(0); b++) {
        Tensor a = matmul(x[b], weights.w_in) + weights.b_in;
        Tensor h = gelu(a, formula);
        Tensor grad_h = matmul(grad_y[b], weights.w_out.transpose(0, 1));
        Tensor grad_a = gelu_backward(a, grad_h, formula);
        grads.x[b].copy_from(matmul(grad_a, weights.w_in.transpose(0, 1)));
        grads.weights.w_in += matmul(x[b].transpose(0, 1), grad_a);
        grads.weights.b_in += sum(grad_a, 0);
        grads.weights.w_out += matmul(h.transpose(0, 1), grad_y[b]);
        grads.weights.b_out += sum(grad_y[b], 0);
    }
    return grads;
}

Tensor block_forward(const Block& block, const Tensor& x) {
    check_x(x);
    const NormWeights& n1 = block.norm1;
    const NormWeights& n2 = block.norm2;
    if (block.order == Order::post_norm) {
        Tensor y = layer_norm(x + block.attention.forward(x), n1.gain, n1.bias, block.eps);
        Tensor z = y + mlp(block.mlp, y, block.gelu);
        return layer_norm(z, n2.gain, n2.bias, block.eps);
    }
    Tensor y = x + block.attention.forward(layer_norm(x, n1.gain, n1.bias, block.eps));
    return y + mlp(block.mlp, layer_norm(y, n2.gain, n2.bias, block.eps), block.gelu);
}

static BlockGradients backward_post(const Block& block, const Tensor& x, const Tensor& grad_y) {
    // forward
    Tensor s = x + block.attention.forward(x);
    Tensor y = layer_norm(s, block.norm1.gain, block.norm1.bias, block.eps);
    Tensor z = y + mlp(block.mlp, y, block.gelu);
    // backward
    LayerNormGradients d2 = layer_norm_backward(z, block.norm2.gain, block.eps, grad_y);
    MlpGradients dm = mlp_backward(block.mlp, y, d2.x, Gelu::exact);
    LayerNormGradients d1 = layer_norm_backward(s, block.norm1.gain, block.eps, d2.x + dm.x);
    Tensor dx = d1.x + block.attention.backward(x, d1.x);
    return {dx, {d1.gain, d1.bias}, {d2.gain, d2.bias}, dm.weights};
}

static BlockGradients backward_pre(const Block& block, const Tensor& x, const Tensor& grad_y) {
    // forward
    Tensor n = layer_norm(x, block.norm1.gain, block.norm1.bias, block.eps);
    Tensor y = x + block.attention.forward(n);
    Tensor m = layer_norm(y, block.norm2.gain, block.norm2.bias, block.eps);
    // backward
    MlpGradients dm = mlp_backward(block.mlp, m, grad_y, Gelu::exact);
    LayerNormGradients d2 = layer_norm_backward(y, block.norm2.gain, block.eps, dm.x);
    Tensor dy = grad_y + d2.x;
    Tensor dn = block.attention.backward(n, dy);
    LayerNormGradients d1 = layer_norm_backward(x, block.norm1.gain, block.eps, dn);
    return {dy + d1.x, {d1.gain, d1.bias}, {d2.gain, d2.bias}, dm.weights};
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    check_x(x);
    check_grad(x, grad_y);
    return block.order == Order::post_norm ? backward_post(block, x, grad_y) : backward_pre(block, x, grad_y);
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    if (blocks.empty()) throw std::invalid_argument("there is no block");
    check_x(x);
    check_grad(x, grad_y);
    Index L = static_cast<Index>(blocks.size());
    std::vector<Tensor> inputs(L);
    inputs[0] = x;
    for (Index i = 0; i + 1 < L; i++) inputs[i + 1] = block_forward(blocks[i], inputs[i]);
    std::vector<BlockGradients> grads(L);
    for (Index i = L - 1; i >= 0; i--)
        grads[i] = block_backward(blocks[i], inputs[i], i == L - 1 ? grad_y : grads[i + 1].x);
    return grads;
}

}  // namespace headway::ex14
