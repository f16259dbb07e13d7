#include "block.hpp"

#include <stdexcept>

// Plain loops over vectors of doubles, row by row.
namespace headway::ex14 {
namespace {

using Numbers = std::vector<double>;
using Size = std::size_t;

Numbers numbers(const Tensor& t) {
    const Tensor dense = t.contiguous();
    Numbers result(static_cast<Size>(dense.numel()));
    for (Size i = 0; i < result.size(); ++i) result[i] = dense.data()[i];
    return result;
}

Tensor tensor(const Shape& shape, const Numbers& values) {
    std::vector<float> floats;
    floats.reserve(values.size());
    for (const double value : values) floats.push_back(static_cast<float>(value));
    return Tensor::of(shape, floats);
}

void refuse(const std::string& why) { throw std::invalid_argument("block: " + why); }

void is_tokens(const Tensor& x) {
    if (!x.defined() || x.rank() != 3) refuse("x is not (B, T, D)");
}
void has_shape(const Tensor& t, const Shape& shape, const char* name) {
    if (!t.defined() || t.shape() != shape) refuse(std::string(name) + " is not " + to_string(shape));
}
void is_eps(double eps) {
    if (!(eps > 0)) refuse("eps is not above 0");
}
void fits(const MlpWeights& w, Index D) {
    if (!w.w_in.defined() || w.w_in.rank() != 2) refuse("w_in is not a matrix");
    const Index F = w.w_in.size(1);
    has_shape(w.w_in, {D, F}, "w_in");
    has_shape(w.b_in, {F}, "b_in");
    has_shape(w.w_out, {F, D}, "w_out");
    has_shape(w.b_out, {D}, "b_out");
}

double bell(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * 3.14159265358979323846); }
double share_below(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }
constexpr double root_two_over_pi = 0.79788456080286535588;

double curve(double x, Gelu formula) {
    if (x < -50) return 0;
    if (x > 50) return x;
    if (formula == Gelu::exact) return x * share_below(x);
    return 0.5 * x * (1 + std::tanh(root_two_over_pi * (x + 0.044715 * x * x * x)));
}

double slope(double x, Gelu formula) {
    if (x < -50) return 0;
    if (x > 50) return 1;
    if (formula == Gelu::exact) return share_below(x) + x * bell(x);
    const double t = std::tanh(root_two_over_pi * (x + 0.044715 * x * x * x));
    const double inner = root_two_over_pi * (1 + 3 * 0.044715 * x * x);
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    is_tokens(x);
    is_eps(eps);
    const Index D = x.size(2);
    has_shape(gain, {D}, "gain");
    has_shape(bias, {D}, "bias");
    const Size d = static_cast<Size>(D);
    const Numbers gains = numbers(gain), biases = numbers(bias);
    Numbers v = numbers(x);
    for (Size row = 0; row < v.size(); row += d) {
        double mean = 0, variance = 0;
        for (Size i = 0; i < d; ++i) mean += v[row + i];
        mean /= static_cast<double>(d);
        for (Size i = 0; i < d; ++i) variance += (v[row + i] - mean) * (v[row + i] - mean);
        variance /= static_cast<double>(d);
        const double s = std::sqrt(variance + eps);
        for (Size i = 0; i < d; ++i) v[row + i] = (v[row + i] - mean) / s * gains[i] + biases[i];
    }
    return tensor(x.shape(), v);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    is_tokens(x);
    is_eps(eps);
    const Index D = x.size(2);
    has_shape(gain, {D}, "gain");
    const Size d = static_cast<Size>(D);
    const Numbers gains = numbers(gain);
    Numbers v = numbers(x);
    for (Size row = 0; row < v.size(); row += d) {
        double squares = 0;
        for (Size i = 0; i < d; ++i) squares += v[row + i] * v[row + i];
        const double s = std::sqrt((squares + eps) / static_cast<double>(d));
        for (Size i = 0; i < d; ++i) v[row + i] = v[row + i] / s * gains[i];
    }
    return tensor(x.shape(), v);
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    is_tokens(x);
    is_eps(eps);
    const Index D = x.size(2);
    has_shape(gain, {D}, "gain");
    has_shape(grad_y, x.shape(), "grad_y");
    const Size d = static_cast<Size>(D);
    const double n = static_cast<double>(d);
    const Numbers gains = numbers(gain), v = numbers(x), dy = numbers(grad_y);
    Numbers dx(v.size()), dgain(d), dbias(d), hat(d);
    for (Size row = 0; row < v.size(); row += d) {
        double mean = 0, variance = 0;
        for (Size i = 0; i < d; ++i) mean += v[row + i];
        mean /= n;
        for (Size i = 0; i < d; ++i) variance += (v[row + i] - mean) * (v[row + i] - mean) / n;
        const double s = std::sqrt(variance + eps);
        double mean_g = 0, mean_gh = 0;
        for (Size i = 0; i < d; ++i) {
            hat[i] = (v[row + i] - mean) / s;
            const double g = dy[row + i] * gains[i];
            mean_g += g / n;
            mean_gh += g * hat[i] / n;
            dgain[i] += dy[row + i] * hat[i];
            dbias[i] += dy[row + i];
        }
        for (Size i = 0; i < d; ++i) dx[row + i] = (dy[row + i] * gains[i] - mean_g - hat[i] * mean_gh) / s;
    }
    return {tensor(x.shape(), dx), tensor({D}, dgain), tensor({D}, dbias)};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    is_tokens(x);
    is_eps(eps);
    const Index D = x.size(2);
    has_shape(gain, {D}, "gain");
    has_shape(grad_y, x.shape(), "grad_y");
    const Size d = static_cast<Size>(D);
    const double n = static_cast<double>(d);
    const Numbers gains = numbers(gain), v = numbers(x), dy = numbers(grad_y);
    Numbers dx(v.size()), dgain(d);
    for (Size row = 0; row < v.size(); row += d) {
        double squares = 0, mean_gh = 0;
        for (Size i = 0; i < d; ++i) squares += v[row + i] * v[row + i];
        const double s = std::sqrt(squares / n + eps);
        for (Size i = 0; i < d; ++i) {
            mean_gh += dy[row + i] * gains[i] * (v[row + i] / s) / n;
            dgain[i] += dy[row + i] * (v[row + i] / s);
        }
        for (Size i = 0; i < d; ++i) dx[row + i] = (dy[row + i] * gains[i] - v[row + i] / s * mean_gh) / s;
    }
    return {tensor(x.shape(), dx), tensor({D}, dgain)};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    if (!x.defined()) refuse("x is undefined");
    Numbers v = numbers(x);
    for (double& value : v) value = curve(value, formula);
    return tensor(x.shape(), v);
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    if (!x.defined()) refuse("x is undefined");
    has_shape(grad_y, x.shape(), "grad_y");
    const Numbers v = numbers(x);
    Numbers g = numbers(grad_y);
    for (Size i = 0; i < g.size(); ++i) g[i] = g[i] * slope(v[i], formula);
    return tensor(x.shape(), g);
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    is_tokens(x);
    fits(weights, x.size(2));
    const Size d = static_cast<Size>(x.size(2)), f = static_cast<Size>(weights.w_in.size(1));
    const Numbers w_in = numbers(weights.w_in), b_in = numbers(weights.b_in);
    const Numbers w_out = numbers(weights.w_out), b_out = numbers(weights.b_out);
    const Numbers v = numbers(x);
    Numbers y(v.size()), h(f);
    for (Size row = 0; row < v.size(); row += d) {
        for (Size j = 0; j < f; ++j) {
            double a = b_in[j];
            for (Size i = 0; i < d; ++i) a += v[row + i] * w_in[i * f + j];
            h[j] = curve(a, formula);
        }
        for (Size i = 0; i < d; ++i) {
            y[row + i] = b_out[i];
            for (Size j = 0; j < f; ++j) y[row + i] += h[j] * w_out[j * d + i];
        }
    }
    return tensor(x.shape(), y);
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    is_tokens(x);
    fits(weights, x.size(2));
    has_shape(grad_y, x.shape(), "grad_y");
    const Index D = x.size(2), F = weights.w_in.size(1);
    const Size d = static_cast<Size>(D), f = static_cast<Size>(F);
    const Numbers w_in = numbers(weights.w_in), b_in = numbers(weights.b_in), w_out = numbers(weights.w_out);
    const Numbers v = numbers(x), dy = numbers(grad_y);
    Numbers dx(v.size()), dw_in(d * f), db_in(f), dw_out(f * d), db_out(d);
    for (Size row = 0; row < v.size(); row += d) {
        for (Size j = 0; j < f; ++j) {
            double a = b_in[j], dh = 0;
            for (Size i = 0; i < d; ++i) {
                a += v[row + i] * w_in[i * f + j];
                dh += dy[row + i] * w_out[j * d + i];
            }
            const double h = curve(a, formula);
            const double da = dh * slope(a, formula);
            db_in[j] += da;
            for (Size i = 0; i < d; ++i) {
                dx[row + i] += da * w_in[i * f + j];
                dw_in[i * f + j] += v[row + i] * da;
                dw_out[j * d + i] += h * dy[row + i];
            }
        }
        for (Size i = 0; i < d; ++i) db_out[i] += dy[row + i];
    }
    return {tensor(x.shape(), dx),
            {tensor({D, F}, dw_in), tensor({F}, db_in), tensor({F, D}, dw_out), tensor({D}, db_out)}};
}

namespace {

void fits(const Block& block, const Tensor& x) {
    is_tokens(x);
    is_eps(block.eps);
    const Index D = x.size(2);
    has_shape(block.norm1.gain, {D}, "norm1.gain");
    has_shape(block.norm1.bias, {D}, "norm1.bias");
    has_shape(block.norm2.gain, {D}, "norm2.gain");
    has_shape(block.norm2.bias, {D}, "norm2.bias");
    fits(block.mlp, D);
}

Tensor norm(const Block& block, const NormWeights& w, const Tensor& x) {
    return layer_norm(x, w.gain, w.bias, block.eps);
}

Tensor with_attention(const Block& block, const Tensor& x, const Tensor& in) {
    const Tensor out = block.attention.forward(in);
    has_shape(out, x.shape(), "attention's result");
    return x + out;
}

}  // namespace

Tensor block_forward(const Block& block, const Tensor& x) {
    fits(block, x);
    Tensor y;
    switch (block.order) {
        case Order::pre_norm:
            y = with_attention(block, x, norm(block, block.norm1, x));
            return y + mlp(block.mlp, norm(block, block.norm2, y), block.gelu);
        case Order::post_norm:
            y = norm(block, block.norm1, with_attention(block, x, x));
            return norm(block, block.norm2, y + mlp(block.mlp, y, block.gelu));
    }
    throw std::invalid_argument("block: no such order");
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    fits(block, x);
    has_shape(grad_y, x.shape(), "grad_y");
    const bool pre = block.order == Order::pre_norm;
    const Tensor attention_in = pre ? norm(block, block.norm1, x) : x;
    const Tensor sum1 = with_attention(block, x, attention_in);
    const Tensor mlp_in = norm(block, pre ? block.norm2 : block.norm1, sum1);
    LayerNormGradients back1, back2;
    MlpGradients back_mlp;
    Tensor grad, grad_attention;
    if (pre) {
        back_mlp = mlp_backward(block.mlp, mlp_in, grad_y, block.gelu);
        back2 = layer_norm_backward(sum1, block.norm2.gain, block.eps, back_mlp.x);
        grad = grad_y + back2.x;
        grad_attention = block.attention.backward(attention_in, grad);
        has_shape(grad_attention, x.shape(), "attention's gradient");
        back1 = layer_norm_backward(x, block.norm1.gain, block.eps, grad_attention);
        grad = grad + back1.x;
    } else {
        const Tensor sum2 = mlp_in + mlp(block.mlp, mlp_in, block.gelu);
        back2 = layer_norm_backward(sum2, block.norm2.gain, block.eps, grad_y);
        back_mlp = mlp_backward(block.mlp, mlp_in, back2.x, block.gelu);
        back1 = layer_norm_backward(sum1, block.norm1.gain, block.eps, back2.x + back_mlp.x);
        grad_attention = block.attention.backward(attention_in, back1.x);
        has_shape(grad_attention, x.shape(), "attention's gradient");
        grad = back1.x + grad_attention;
    }
    return {grad, {back1.gain, back1.bias}, {back2.gain, back2.bias}, back_mlp.weights};
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    if (blocks.empty()) refuse("an empty stack");
    is_tokens(x);
    has_shape(grad_y, x.shape(), "grad_y");
    std::vector<Tensor> inputs;
    Tensor flow = x;
    for (const Block& block : blocks) {
        inputs.push_back(flow);
        if (inputs.size() < blocks.size()) flow = block_forward(block, flow);
    }
    flow = Tensor{};
    std::vector<BlockGradients> result(blocks.size());
    for (Size after = blocks.size(); after > 0; --after) {
        const Size i = after - 1;
        result[i] = block_backward(blocks[i], inputs[i], after == blocks.size() ? grad_y : result[after].x);
        inputs.pop_back();
    }
    return result;
}

}  // namespace headway::ex14
