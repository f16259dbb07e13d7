#include "block.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex14 {
namespace {

using std::invalid_argument;

void same_shape(const Tensor& x, const Shape& wanted) {
    if (!x.defined() || x.shape() != wanted) throw invalid_argument("a shape does not fit");
}

struct Token {
    double mean = 0, s = 0;
    Token(const float* x, Index D, double eps, double with_mean) {
        for (Index i = 0; i < D; ++i) mean += with_mean * static_cast<double>(x[i]);
        mean /= static_cast<double>(D);
        double total = 0;
        for (Index i = 0; i < D; ++i) {
            const double off = static_cast<double>(x[i]) - mean;
            total += off * off;
        }
        s = std::sqrt(total / static_cast<double>(D) + eps);
    }
    double hat(float x) const { return (static_cast<double>(x) - mean) / s; }
};

Tensor norm_all(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps, double with_mean) {
    if (x.rank() != 3) throw std::invalid_argument("x needs three axes");
    const Index D = x.size(2);
    same_shape(gain, {D});
    same_shape(bias, {D});
    if (!(eps > 0)) throw std::invalid_argument("eps is not positive");
    Tensor y = x.contiguous().clone();
    for (float* token = y.data(); token < y.data() + y.numel(); token += D) {
        const Token norm(token, D, eps, with_mean);
        for (Index i = 0; i < D; ++i) token[i] = static_cast<float>(norm.hat(token[i])) * gain(i) + bias(i);
    }
    return y;
}

LayerNormGradients norm_all_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y,
                                     double with_mean) {
    if (x.rank() != 3) throw std::invalid_argument("x needs three axes");
    const Index D = x.size(2);
    same_shape(gain, {D});
    same_shape(grad_y, x.shape());
    if (!(eps > 0)) throw std::invalid_argument("eps is not positive");
    const Tensor in = x.contiguous(), out = grad_y.contiguous();
    LayerNormGradients grads{Tensor::zeros(x.shape()), Tensor::zeros({D}), Tensor::zeros({D})};
    for (Index first = 0; first < in.numel(); first += D) {
        const float *token = in.data() + first, *grad = out.data() + first;
        const Token norm(token, D, eps, with_mean);
        double of_mean = 0, of_s = 0;
        for (Index i = 0; i < D; ++i) {
            const double g = static_cast<double>(grad[i] * gain(i));
            of_mean += g;
            of_s += g * norm.hat(token[i]);
            grads.gain(i) += grad[i] * static_cast<float>(norm.hat(token[i]));
            grads.bias(i) = grad[i];
        }
        of_mean *= with_mean / static_cast<double>(D);
        of_s /= static_cast<double>(D);
        for (Index i = 0; i < D; ++i) {
            const double g = static_cast<double>(grad[i] * gain(i));
            grads.x.data()[first + i] = static_cast<float>((g - of_mean - norm.hat(token[i]) * of_s) / norm.s);
        }
    }
    return grads;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    return norm_all(x, gain, bias, eps, 1);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    return norm_all(x, gain, Tensor::zeros(gain.shape()), eps, 0);
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    return norm_all_backward(x, gain, eps, grad_y, 1);
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    LayerNormGradients grads = norm_all_backward(x, gain, eps, grad_y, 0);
    return {grads.x, grads.gain};
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
    const Tensor y = x + block.attention.forward(norm1(block, x));
    return y + mlp(block.mlp, norm2(block, y), block.gelu);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    same_shape(grad_y, x.shape());
    return (block.order == Order::pre_norm ? &pre_norm_backward : &post_norm_backward)(block, x, grad_y);
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    const std::size_t L = blocks.size();
    if (L == 0) throw std::invalid_argument("a stack has blocks");
    same_shape(grad_y, x.shape());
    std::vector<Tensor> checkpoint(L, x);
    for (std::size_t i = 1; i < L; ++i) checkpoint[i] = block_forward(blocks[i - 1], checkpoint[i - 1]);
    std::vector<BlockGradients> grads(L);
    for (std::size_t done = 0; done < L; ++done) {
        const std::size_t i = L - 1 - done;
        grads[i] = block_backward(blocks[i], checkpoint[i], done == 0 ? grad_y : grads[i + 1].x);
    }
    return grads;
}

}  // namespace headway::ex14
