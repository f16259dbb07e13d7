#include "block.hpp"

#include <stdexcept>

namespace headway::ex14 {
namespace {

void need(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

void check_norm(const Tensor& x, const Tensor& gain, double eps) {
    need(x.defined() && x.rank() == 3, "x must be (B, T, D)");
    need(gain.shape() == Shape{x.size(2)}, "gain must be (D)");
    need(eps > 0, "eps must be above 0");
}

void check_mlp(const MlpWeights& w, const Tensor& x) {
    need(x.defined() && x.rank() == 3, "x must be (B, T, D)");
    need(w.w_in.rank() == 2 && w.w_in.size(0) == x.size(2), "w_in must be (D, F)");
    const Index D = x.size(2), F = w.w_in.size(1);
    need(w.b_in.shape() == Shape{F}, "b_in must be (F)");
    need(w.w_out.shape() == Shape{F, D}, "w_out must be (F, D)");
    need(w.b_out.shape() == Shape{D}, "b_out must be (D)");
}

void check_block(const Block& block, const Tensor& x) {
    check_norm(x, block.norm1.gain, block.eps);
    check_norm(x, block.norm2.gain, block.eps);
    need(block.norm1.bias.shape() == Shape{x.size(2)}, "norm1.bias must be (D)");
    need(block.norm2.bias.shape() == Shape{x.size(2)}, "norm2.bias must be (D)");
    check_mlp(block.mlp, x);
}

Tensor flat(const Tensor& x) { return x.contiguous().view({-1, x.size(-1)}); }

Tensor over_tokens(const Tensor& x) { return sum(flat(x), 0); }

/// Each row divided by its own root. In double: a root may be too small for a float.
Tensor divide_rows(const Tensor& x, const std::vector<double>& roots) {
    const Tensor rows = flat(x);
    Tensor result = Tensor::empty(rows.shape());
    for (Index row = 0; row < rows.size(0); ++row)
        for (Index i = 0; i < rows.size(1); ++i)
            result(row, i) = static_cast<float>(rows(row, i) / roots[static_cast<std::size_t>(row)]);
    return result.view(x.shape());
}

Tensor centred(const Tensor& x) {
    const Tensor rows = flat(x);
    Tensor result = Tensor::empty(rows.shape());
    for (Index row = 0; row < rows.size(0); ++row) {
        double mean_of_row = 0;
        for (Index i = 0; i < rows.size(1); ++i) mean_of_row += rows(row, i);
        mean_of_row /= static_cast<double>(rows.size(1));
        for (Index i = 0; i < rows.size(1); ++i) result(row, i) = static_cast<float>(rows(row, i) - mean_of_row);
    }
    return result.view(x.shape());
}

std::vector<double> roots_of(const Tensor& x, double eps) {
    const Tensor rows = flat(x);
    std::vector<double> roots;
    for (Index row = 0; row < rows.size(0); ++row) {
        double squares = 0;
        for (Index i = 0; i < rows.size(1); ++i) squares += double{rows(row, i)} * rows(row, i);
        roots.push_back(std::sqrt(squares / static_cast<double>(rows.size(1)) + eps));
    }
    return roots;
}

/// g times w or its transpose, whichever fits.
Tensor back_through(const Tensor& g, const Tensor& w) {
    return w.size(0) == g.size(-1) ? matmul(g, w) : matmul(g, w.transpose(0, 1));
}

double normal_share(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

constexpr double pi = 3.14159265358979323846, k = 0.79788456080286535588, c = 0.044715;  // k: sqrt(2 / pi)

Tensor attend(const Block& block, const Tensor& x) {
    const Tensor y = block.attention.forward(x);
    need(y.shape() == x.shape(), "attention must return (B, T, D)");
    return y;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    check_norm(x, gain, eps);
    need(bias.shape() == Shape{x.size(2)}, "bias must be (D)");
    const Tensor apart = centred(x);
    const Tensor hat = divide_rows(apart, roots_of(apart, eps));
    return hat * gain + bias;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_norm(x, gain, eps);
    const Tensor hat = divide_rows(x, roots_of(x, eps));
    return hat * gain;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    need(grad_y.shape() == x.shape(), "grad_y must be like x");
    const Tensor apart = centred(x);
    const std::vector<double> roots = roots_of(apart, eps);
    const Tensor hat = divide_rows(apart, roots);
    const Tensor g = centred(grad_y * gain);  // less its mean already: mean(hat) is 0, so the next line may use it
    const Tensor along = mean(g * hat, -1, KeepAxis::yes);
    return {divide_rows(g - hat * along, roots), over_tokens(grad_y * hat), over_tokens(grad_y)};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    need(grad_y.shape() == x.shape(), "grad_y must be like x");
    const std::vector<double> roots = roots_of(x, eps);
    const Tensor hat = divide_rows(x, roots);
    const Tensor g = grad_y * gain;
    const Tensor along = mean(g * hat, -1, KeepAxis::yes);
    return {divide_rows(g - hat * along, roots), over_tokens(grad_y * hat)};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    need(x.defined(), "x is undefined");
    const Tensor in = x.contiguous();
    Tensor out = Tensor::empty(x.shape());
    for (Index i = 0; i < in.numel(); ++i) {
        const double v = in.data()[i];
        if (v < -40)
            out.data()[i] = 0;
        else if (formula == Gelu::exact)
            out.data()[i] = static_cast<float>(v * normal_share(v));
        else
            out.data()[i] = static_cast<float>(v / 2 * (1 + std::tanh(k * (v + c * v * v * v))));
    }
    return out;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    need(x.defined() && grad_y.defined() && grad_y.shape() == x.shape(), "grad_y must be like x");
    const Tensor in = x.contiguous(), grad = grad_y.contiguous();
    Tensor out = Tensor::empty(x.shape());
    for (Index i = 0; i < in.numel(); ++i) {
        const double v = in.data()[i];
        double slope = v > 0 ? 1 : 0;
        if (std::abs(v) < 40) {
            if (formula == Gelu::exact) {
                slope = normal_share(v) + v * std::exp(-v * v / 2) / std::sqrt(2 * pi);
            } else {
                const double t = std::tanh(k * (v + c * v * v * v));
                slope = (1 + t) / 2 + v / 2 * (1 - t * t) * k * (1 + 3 * c * v * v);
            }
        }
        out.data()[i] = static_cast<float>(grad.data()[i] * slope);
    }
    return out;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_mlp(weights, x);
    const Tensor a = matmul(x, weights.w_in) + weights.b_in;
    const Tensor h = gelu(a, formula);
    return matmul(h, weights.w_out) + weights.b_out;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_mlp(weights, x);
    need(grad_y.shape() == x.shape(), "grad_y must be like x");
    const Tensor a = matmul(x, weights.w_in) + weights.b_in;
    const Tensor h = gelu(a, formula);
    const Tensor grad_h = back_through(grad_y, weights.w_out);
    const Tensor grad_a = gelu_backward(a, grad_h, formula);
    MlpGradients grads;
    grads.x = back_through(grad_a, weights.w_in);
    grads.weights.w_in = matmul(flat(x).transpose(0, 1), flat(grad_a));
    grads.weights.b_in = over_tokens(grad_a);
    grads.weights.w_out = matmul(flat(h).transpose(0, 1), flat(grad_y));
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
    need(grad_y.shape() == x.shape(), "grad_y must be like x");
    const NormWeights &n1 = block.norm1, &n2 = block.norm2;
    BlockGradients grads;
    if (block.order == Order::pre_norm) {
        const Tensor normed_x = layer_norm(x, n1.gain, n1.bias, block.eps);
        const Tensor y = x + attend(block, normed_x);
        const Tensor normed_y = layer_norm(y, n2.gain, n2.bias, block.eps);
        const MlpGradients m = mlp_backward(block.mlp, normed_y, grad_y, block.gelu);
        const LayerNormGradients second = layer_norm_backward(y, n2.gain, block.eps, m.x);
        const Tensor grad_mid = grad_y + second.x;
        const Tensor grad_n = block.attention.backward(normed_x, grad_mid);
        need(grad_n.shape() == x.shape(), "attention must return (B, T, D)");
        const LayerNormGradients first = layer_norm_backward(x, n1.gain, block.eps, grad_n);
        return {grad_mid + first.x, {first.gain, first.bias}, {second.gain, second.bias}, m.weights};
    }
    const Tensor s = x + attend(block, x);
    const Tensor y = layer_norm(s, n1.gain, n1.bias, block.eps);
    const Tensor z = y + mlp(block.mlp, y, block.gelu);
    const LayerNormGradients second = layer_norm_backward(z, n2.gain, block.eps, grad_y);
    const MlpGradients m = mlp_backward(block.mlp, y, second.x, block.gelu);
    const LayerNormGradients first = layer_norm_backward(s, n1.gain, block.eps, second.x + m.x);
    const Tensor grad_a = block.attention.backward(x, first.x);
    need(grad_a.shape() == x.shape(), "attention must return (B, T, D)");
    return {first.x + grad_a, {first.gain, first.bias}, {second.gain, second.bias}, m.weights};
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    need(!blocks.empty(), "no block");
    need(x.defined() && x.rank() == 3 && grad_y.shape() == x.shape(), "x and grad_y must be (B, T, D)");
    std::vector<Tensor> inputs{x};
    for (std::size_t i = 0; i + 1 < blocks.size(); ++i) inputs.push_back(block_forward(blocks[i], inputs[i]));
    std::vector<BlockGradients> grads(blocks.size());
    Tensor grad = grad_y;
    for (std::size_t i = blocks.size(); i-- > 0;) {
        grads[i] = block_backward(blocks[i], inputs[i], grad);
        grad = grads[i].x;
    }
    return grads;
}

}  // namespace headway::ex14
