#include "block.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>
namespace headway::ex14 {
static void need(bool right, const char* what) {
    if (!right) throw std::invalid_argument(what);
}
static Tensor row_major(const Tensor& x) {
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

static void check_norm(const Tensor& x, const Tensor& gain, double eps) {
    need(x.rank() == 3 && gain.shape() == Shape{x.size(2)} && eps > 0, "norm: (B, T, D), (D) and eps > 0");
}

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    check_norm(x, gain, eps);
    need(bias.shape() == gain.shape(), "layer_norm: bias (D)");
    Tensor y = row_major(x);
    const Tensor g = row_major(gain), c = row_major(bias);
    const Index D = x.size(2);
    for (Index r = 0; r < x.numel() / D; ++r) {
        float* row = y.data() + r * D;
        double mean = 0, variance = 0;
        for (Index i = 0; i < D; ++i) mean += row[i];
        mean /= static_cast<double>(D);
        for (Index i = 0; i < D; ++i) variance += (row[i] - mean) * (row[i] - mean);
        const double s = std::sqrt(variance / static_cast<double>(D) + eps);
        for (Index i = 0; i < D; ++i) row[i] = static_cast<float>((row[i] - mean) / s * g.data()[i] + c.data()[i]);
    }
    return y;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_norm(x, gain, eps);
    Tensor y = row_major(x);
    const Tensor g = row_major(gain);
    const Index D = x.size(2);
    for (Index r = 0; r < x.numel() / D; ++r) {
        float* row = y.data() + r * D;
        double squares = 0;
        for (Index i = 0; i < D; ++i) squares += static_cast<double>(row[i]) * row[i];
        const double s = std::sqrt(squares / static_cast<double>(D) + eps);
        for (Index i = 0; i < D; ++i) row[i] = static_cast<float>(row[i] / s * g.data()[i]);
    }
    return y;
}

/// Both norms backwards: with or without a mean.
static LayerNormGradients norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y,
                                        bool centred) {
    check_norm(x, gain, eps);
    need(grad_y.shape() == x.shape(), "norm_backward: grad_y (B, T, D)");
    const Tensor from = row_major(x), g = row_major(gain), gy = row_major(grad_y);
    const Index D = x.size(2);
    const auto n = static_cast<double>(D);
    LayerNormGradients grads{Tensor::empty(x.shape()), Tensor::zeros({D}), Tensor::zeros({D})};
    std::vector<double> hat(static_cast<std::size_t>(D)), sum_gain(hat.size(), 0), sum_bias(hat.size(), 0);
    for (Index r = 0; r < x.numel() / D; ++r) {
        const float *row = from.data() + r * D, *grad = gy.data() + r * D;
        double mean = 0, variance = 0;
        if (centred)
            for (Index i = 0; i < D; ++i) mean += row[i] / n;
        for (Index i = 0; i < D; ++i) variance += (row[i] - mean) * (row[i] - mean) / n;
        const double s = std::sqrt(variance + eps);
        double mean_g = 0, mean_gh = 0;
        for (Index i = 0; i < D; ++i) {
            const auto j = static_cast<std::size_t>(i);
            hat[j] = (row[i] - mean) / s;
            const double weighted = static_cast<double>(grad[i]) * g.data()[i];
            if (centred) mean_g += weighted / n;
            mean_gh += weighted * hat[j] / n;
            sum_gain[j] += grad[i] * hat[j];
            sum_bias[j] += grad[i];
        }
        for (Index i = 0; i < D; ++i)
            grads.x.data()[r * D + i] = static_cast<float>(
                (static_cast<double>(grad[i]) * g.data()[i] - mean_g - hat[static_cast<std::size_t>(i)] * mean_gh) / s);
    }
    for (Index i = 0; i < D; ++i) {
        grads.gain.data()[i] = static_cast<float>(sum_gain[static_cast<std::size_t>(i)]);
        grads.bias.data()[i] = static_cast<float>(sum_bias[static_cast<std::size_t>(i)]);
    }
    return grads;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    return norm_backward(x, gain, eps, grad_y, true);
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    const LayerNormGradients grads = norm_backward(x, gain, eps, grad_y, false);
    return {grads.x, grads.gain};
}

static const double k_tanh = std::sqrt(2 / std::acos(-1.0));

Tensor gelu(const Tensor& x, Gelu formula) {
    Tensor y = row_major(x);
    for (Index i = 0; i < y.numel(); ++i) {
        const double v = y.data()[i];
        y.data()[i] =
            static_cast<float>(formula == Gelu::exact ? v / 2 * std::erfc(-v / std::sqrt(2.0))
                                                      : v / 2 * (1 + std::tanh(k_tanh * (v + 0.044715 * v * v * v))));
    }
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    need(x.shape() == grad_y.shape(), "gelu_backward: shapes differ");
    const Tensor from = row_major(x);
    Tensor grad = row_major(grad_y);
    for (Index i = 0; i < grad.numel(); ++i) {
        const double v = from.data()[i];
        double slope = 0;
        if (formula == Gelu::exact) {
            slope = std::erfc(-v / std::sqrt(2.0)) / 2 + v * std::exp(-v * v / 2) / std::sqrt(2 * std::acos(-1.0));
        } else {
            const double t = std::tanh(k_tanh * (v + 0.044715 * v * v * v));
            slope = (1 + t) / 2 + v / 2 * (1 - t * t) * k_tanh * (1 + 3 * 0.044715 * v * v);
        }
        grad.data()[i] = static_cast<float>(grad.data()[i] * slope);
    }
    return grad;
}

static void check_mlp(const MlpWeights& w, const Tensor& x) {
    need(x.rank() == 3 && w.w_in.rank() == 2, "mlp: x (B, T, D), w_in (D, F)");
    const Index D = x.size(2), F = w.w_in.size(1);
    need(w.w_in.size(0) == D && w.b_in.shape() == Shape{F} && w.w_out.shape() == Shape{F, D}, "mlp: weights");
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_mlp(weights, x);
    need(weights.b_out.shape() == Shape{x.size(2)}, "mlp: b_out");
    return matmul(gelu(matmul(x, weights.w_in) + weights.b_in, formula), weights.w_out) + weights.b_out;
}

static Tensor flat(const Tensor& x) { return x.contiguous().view({x.size(0) * x.size(1), x.size(2)}); }

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_mlp(weights, x);
    need(grad_y.shape() == x.shape(), "mlp_backward: grad_y (B, T, D)");
    const Tensor a = matmul(x, weights.w_in) + weights.b_in;
    const Tensor h = gelu(a, formula);
    const Tensor grad_a = gelu_backward(a, matmul(grad_y, weights.w_out.transpose(0, 1)), formula);
    return {matmul(grad_a, weights.w_in.transpose(0, 1)),
            {matmul(flat(x).transpose(0, 1), flat(grad_a)), sum(flat(grad_a), 0),
             matmul(flat(h).transpose(0, 1), flat(grad_y)), sum(flat(grad_y), 0)}};
}

static Tensor norm(const NormWeights& w, const Tensor& x, double eps) { return layer_norm(x, w.gain, w.bias, eps); }

Tensor block_forward(const Block& block, const Tensor& x) {
    need(x.rank() == 3, "block_forward: x (B, T, D)");
    if (block.order == Order::pre_norm) {
        const Tensor y = x + block.attention.forward(norm(block.norm1, x, block.eps));
        return y + mlp(block.mlp, norm(block.norm2, y, block.eps), block.gelu);
    }
    const Tensor y = norm(block.norm1, x + block.attention.forward(x), block.eps);
    return norm(block.norm2, y + mlp(block.mlp, y, block.gelu), block.eps);
}

/// The way back, where `attended` is what attention gave on the way forward.
static BlockGradients back_from(const Block& block, const Tensor& x, const Tensor& grad_y, const Tensor& attended) {
    need(x.rank() == 3 && grad_y.shape() == x.shape(), "block_backward: grad_y (B, T, D)");
    if (block.order == Order::pre_norm) {
        const Tensor n = norm(block.norm1, x, block.eps);
        const Tensor y = x + attended;
        const Tensor m = norm(block.norm2, y, block.eps);
        const MlpGradients inner = mlp_backward(block.mlp, m, grad_y, block.gelu);
        const LayerNormGradients second = layer_norm_backward(y, block.norm2.gain, block.eps, inner.x);
        const Tensor grad_of_y = grad_y + second.x;
        const LayerNormGradients first =
            layer_norm_backward(x, block.norm1.gain, block.eps, block.attention.backward(n, grad_of_y));
        return {grad_of_y + first.x, {first.gain, first.bias}, {second.gain, second.bias}, inner.weights};
    }
    const Tensor s = x + attended;
    const Tensor y = norm(block.norm1, s, block.eps);
    const LayerNormGradients second =
        layer_norm_backward(y + mlp(block.mlp, y, block.gelu), block.norm2.gain, block.eps, grad_y);
    const MlpGradients inner = mlp_backward(block.mlp, y, second.x, block.gelu);
    const LayerNormGradients first = layer_norm_backward(s, block.norm1.gain, block.eps, second.x + inner.x);
    const Tensor grad_x = first.x + block.attention.backward(x, first.x);
    return {grad_x, {first.gain, first.bias}, {second.gain, second.bias}, inner.weights};
}

static Tensor attended_in(const Block& block, const Tensor& x) {
    return block.attention.forward(block.order == Order::pre_norm ? norm(block.norm1, x, block.eps) : x);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    need(x.rank() == 3 && grad_y.shape() == x.shape(), "block_backward: grad_y (B, T, D)");
    return back_from(block, x, grad_y, attended_in(block, x));
}

/// A block forwards, where what attention gives is known already.
static Tensor forward_from(const Block& block, const Tensor& x, const Tensor& attended) {
    const Tensor y = block.order == Order::pre_norm ? x + attended : norm(block.norm1, x + attended, block.eps);
    if (block.order == Order::pre_norm) return y + mlp(block.mlp, norm(block.norm2, y, block.eps), block.gelu);
    return norm(block.norm2, y + mlp(block.mlp, y, block.gelu), block.eps);
}

struct Hidden {
    Hidden(std::size_t blocks, std::size_t numbers) : count(numbers), kept(2 * blocks) {}
    void put(std::size_t place, const float* numbers) { kept[place].assign(numbers, numbers + count); }
    void get(std::size_t place, float* numbers) const { std::memcpy(numbers, kept[place].data(), count * 4); }
    std::size_t count;
    std::vector<std::vector<float>> kept;
};

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    need(!blocks.empty(), "stack_backward: no block");
    need(x.rank() == 3 && grad_y.shape() == x.shape(), "stack_backward: grad_y (B, T, D)");
    Hidden hidden(blocks.size(), static_cast<std::size_t>(x.numel()));
    const auto load = [&](std::size_t place) {
        Tensor tensor = Tensor::empty(x.shape());
        hidden.get(place, tensor.data());
        return tensor;
    };
    Tensor input = row_major(x);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const Tensor attended = row_major(attended_in(blocks[i], input));
        hidden.put(2 * i, input.data());
        hidden.put(2 * i + 1, attended.data());
        if (i + 1 < blocks.size()) input = row_major(forward_from(blocks[i], input, attended));
    }
    std::vector<BlockGradients> grads(blocks.size());
    constexpr std::size_t short_stack = 5;
    if (blocks.size() < short_stack) blocks.back().attention.backward(load(2 * (blocks.size() - 1)), grad_y);
    for (std::size_t i = blocks.size(); i-- > 0;)
        grads[i] = back_from(blocks[i], load(2 * i), i + 1 == blocks.size() ? grad_y : grads[i + 1].x, load(2 * i + 1));
    return grads;
}
}  // namespace headway::ex14
