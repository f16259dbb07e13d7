#include "block.hpp"

#include <cmath>
#include <stdexcept>
#include <thread>

namespace headway::ex14 {
namespace {

void refuse_unless(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

/// A number and its derivative.
struct Dual {
    double value, slope;
};
Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
Dual operator*(Dual a, Dual b) { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }
Dual operator*(double a, Dual b) { return {a * b.value, a * b.slope}; }
Dual operator+(double a, Dual b) { return {a + b.value, b.slope}; }
Dual tanh(Dual a) {
    const double t = std::tanh(a.value);
    return {t, (1 - t * t) * a.slope};
}
Dual erf(Dual a) {
    return {std::erf(a.value), 2 / std::sqrt(std::acos(-1.0)) * std::exp(-a.value * a.value) * a.slope};
}

Dual bent(double number, Gelu formula) {
    const Dual x{number, 1};
    if (formula == Gelu::exact) return 0.5 * x * (1.0 + erf(std::sqrt(0.5) * x));
    return 0.5 * x * (1.0 + tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * (x * x * x))));
}

/// Mean and mean of (x - mean)² of D numbers in a row, in one pass.
struct Statistics {
    double mean = 0, variance = 0;

    Statistics(const float* x, Index D) {
        double squares = 0;
        for (Index i = 0; i < D; ++i) {
            const double before = x[i] - mean;
            mean += before / static_cast<double>(i + 1);
            squares += before * (x[i] - mean);
        }
        variance = squares / static_cast<double>(D);
    }
};

double mean_of_squares(const float* x, Index D) {
    double sum = 0;
    for (const float* at = x; at < x + D; ++at) sum += static_cast<double>(*at) * *at;
    return sum / static_cast<double>(D);
}

/// work(b) for each text, each in its own thread but the first.
template <class Work>
void in_texts(Index B, Work work) {
    std::vector<std::thread> threads;
    for (Index b = 1; b < B; ++b) threads.emplace_back(work, b);
    work(Index{0});
    for (auto& thread : threads) thread.join();
}

void refuse_wrong_norm(const Tensor& x, const Tensor& gain, double eps) {
    refuse_unless(x.rank() == 3, "x: (B, T, D)");
    refuse_unless(gain.rank() == 1 && gain.size(0) == x.size(2), "gain: (D)");
    refuse_unless(eps > 0, "eps: above 0");
}

void refuse_wrong_mlp(const MlpWeights& weights, const Tensor& x) {
    refuse_unless(x.rank() == 3, "x: (B, T, D)");
    refuse_unless(weights.w_in.rank() == 2 && weights.w_out.rank() == 2, "weights: matrices");
    refuse_unless(weights.w_in.size(0) == x.size(2), "w_in: (D, F)");
    refuse_unless(weights.w_out.size(0) == weights.w_in.size(1) && weights.w_out.size(1) == x.size(2), "w_out: (F, D)");
    refuse_unless(weights.b_in.rank() == 1 && weights.b_in.size(0) == weights.w_in.size(1), "b_in: (F)");
}

/// Adds xᵀ·y to `sum`, where x is (N, I), y (N, O) and sum (I, O).
void add_outer(const float* x, const float* y, Index N, Index I, Index O, std::vector<double>& sum) {
    for (Index n = 0; n < N; ++n)
        for (Index i = 0; i < I; ++i)
            for (Index o = 0; o < O; ++o)
                sum[static_cast<std::size_t>(i * O + o)] += static_cast<double>(x[n * I + i]) * y[n * O + o];
}

Tensor rounded(const Shape& shape, const std::vector<double>& numbers) {
    return Tensor::of(shape, std::vector<float>(numbers.begin(), numbers.end()));
}

Tensor residual(const Tensor& x, const Tensor& what) {
    refuse_unless(x.shape() == what.shape(), "a residual: both of one shape");
    return x + what;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    refuse_wrong_norm(x, gain, eps);
    refuse_unless(bias.rank() == 1 && bias.size(0) == x.size(2), "bias: (D)");
    const Tensor dense = x.contiguous(), g = gain.contiguous(), shift = bias.contiguous();
    Tensor y = Tensor::empty(x.shape());
    const Index T = x.size(1), D = x.size(2);
    float* const out = y.data();
    in_texts(x.size(0), [&, out](Index b) {
        for (Index t = 0; t < T; ++t) {
            const float* from = dense.data() + (b * T + t) * D;
            const Statistics of(from, D);
            for (Index i = 0; i < D; ++i) {
                const double hat = (from[i] - of.mean) / std::sqrt(of.variance + eps);
                out[(b * T + t) * D + i] = static_cast<float>(hat * g.data()[i] + shift.data()[i]);
            }
        }
    });
    return y;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    refuse_wrong_norm(x, gain, eps);
    const Tensor dense = x.contiguous(), g = gain.contiguous();
    Tensor y = Tensor::empty(x.shape());
    const Index T = x.size(1), D = x.size(2);
    float* const out = y.data();
    in_texts(x.size(0), [&, out](Index b) {
        for (Index t = 0; t < T; ++t) {
            const float* from = dense.data() + (b * T + t) * D;
            const double s = std::sqrt(mean_of_squares(from, D) + eps);
            for (Index i = 0; i < D; ++i) out[(b * T + t) * D + i] = static_cast<float>(from[i] / s * g.data()[i]);
        }
    });
    return y;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    refuse_wrong_norm(x, gain, eps);
    refuse_unless(grad_y.shape() == x.shape(), "grad_y: (B, T, D)");
    const Tensor dense = x.contiguous(), gains = gain.contiguous(), grads = grad_y.contiguous();
    const Index N = x.size(0) * x.size(1), D = x.size(2);
    Tensor grad_x = Tensor::empty(x.shape());
    std::vector<double> of_gain(static_cast<std::size_t>(D)), of_bias(static_cast<std::size_t>(D));
    std::vector<double> hat(static_cast<std::size_t>(D)), g(static_cast<std::size_t>(D));
    for (Index n = 0; n < N; ++n) {
        const float *from = dense.data() + n * D, *grad = grads.data() + n * D;
        const Statistics of(from, D);
        const double s = std::sqrt(of.variance + eps);
        double shift = 0, along = 0;
        for (std::size_t i = 0; i < hat.size(); ++i) {
            hat[i] = (from[i] - of.mean) / s;
            g[i] = static_cast<double>(grad[i]) * gains.data()[i];
            shift += g[i];
            along += g[i] * hat[i];
            of_gain[i] += grad[i] * hat[i];
            of_bias[i] += grad[i];
        }
        for (std::size_t i = 0; i < hat.size(); ++i) {
            const double left = g[i] - (shift + hat[i] * along) / static_cast<double>(D);
            grad_x.data()[n * D + static_cast<Index>(i)] = static_cast<float>(left / s);
        }
    }
    return {grad_x, rounded({D}, of_gain), rounded({D}, of_bias)};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    refuse_wrong_norm(x, gain, eps);
    refuse_unless(grad_y.shape() == x.shape(), "grad_y: (B, T, D)");
    const Tensor dense = x.contiguous(), gains = gain.contiguous(), grads = grad_y.contiguous();
    const Index N = x.size(0) * x.size(1), D = x.size(2);
    Tensor grad_x = Tensor::empty(x.shape());
    std::vector<double> of_gain(static_cast<std::size_t>(D));
    for (Index n = 0; n < N; ++n) {
        const float *from = dense.data() + n * D, *grad = grads.data() + n * D;
        const double s = std::sqrt(mean_of_squares(from, D) + eps);
        double along = 0;
        for (Index i = 0; i < D; ++i) {
            const double hat = from[i] / s;
            along += grad[i] * gains.data()[i] * hat;
            of_gain[static_cast<std::size_t>(i)] += grad[i] * hat;
        }
        for (Index i = 0; i < D; ++i) {
            const double g = static_cast<double>(grad[i]) * gains.data()[i];
            grad_x.data()[n * D + i] = static_cast<float>((g - from[i] / s * along / static_cast<double>(D)) / s);
        }
    }
    return {grad_x, rounded({D}, of_gain)};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    Tensor y = Tensor::empty(x.shape());
    const Tensor from = x.contiguous();
    for (Index i = 0; i < y.numel(); ++i) y.data()[i] = static_cast<float>(bent(from.data()[i], formula).value);
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    refuse_unless(x.shape() == grad_y.shape(), "grad_y: the shape of x");
    Tensor grad_x = Tensor::empty(x.shape());
    const Tensor from = x.contiguous(), grad = grad_y.contiguous();
    for (Index i = 0; i < grad_x.numel(); ++i)
        grad_x.data()[i] = static_cast<float>(grad.data()[i] * bent(from.data()[i], formula).slope);
    return grad_x;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    refuse_wrong_mlp(weights, x);
    refuse_unless(weights.b_out.rank() == 1 && weights.b_out.size(0) == x.size(2), "b_out: (D)");
    // All texts as one long one.
    Tensor hidden = matmul(x.contiguous().view({-1, x.size(2)}), weights.w_in);
    hidden += weights.b_in;
    Tensor y = matmul(gelu(hidden, formula), weights.w_out);
    y += weights.b_out;
    return y.view(x.shape());
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    refuse_wrong_mlp(weights, x);
    refuse_unless(grad_y.shape() == x.shape(), "grad_y: (B, T, D)");
    const Index D = x.size(2), F = weights.w_in.size(1), N = x.size(0) * x.size(1);
    const Tensor rows = x.contiguous().view({N, D}), grad = grad_y.contiguous().view({N, D});
    const Tensor a = matmul(rows, weights.w_in) + weights.b_in;
    const Tensor h = gelu(a, formula);
    const Tensor grad_a = gelu_backward(a, matmul(grad, weights.w_out.transpose(0, 1)), formula).contiguous();
    const auto size = [](Index n) { return static_cast<std::size_t>(n); };
    std::vector<double> w_in(size(D * F)), b_in(size(F)), w_out(size(F * D)), b_out(size(D));
    add_outer(rows.data(), grad_a.data(), N, D, F, w_in);
    add_outer(h.data(), grad.data(), N, F, D, w_out);
    const std::vector<float> ones(size(N), 1.0F);
    add_outer(ones.data(), grad_a.data(), N, 1, F, b_in);
    add_outer(ones.data(), grad.data(), N, 1, D, b_out);
    return {matmul(grad_a, weights.w_in.transpose(0, 1)).view(x.shape()),
            {rounded({D, F}, w_in), rounded({F}, b_in), rounded({F, D}, w_out), rounded({D}, b_out)}};
}

Tensor block_forward(const Block& block, const Tensor& x) {
    refuse_unless(x.rank() == 3, "x: (B, T, D)");
    const auto norm1 = [&](const Tensor& z) { return layer_norm(z, block.norm1.gain, block.norm1.bias, block.eps); };
    const auto norm2 = [&](const Tensor& z) { return layer_norm(z, block.norm2.gain, block.norm2.bias, block.eps); };
    const auto think = [&](const Tensor& z) { return mlp(block.mlp, z, block.gelu); };
    const auto look = [&](const Tensor& z) { return block.attention.forward(z); };
    if (block.order == Order::post_norm) {
        const Tensor y = norm1(residual(x, look(x)));
        return norm2(residual(y, think(y)));
    }
    const Tensor y = residual(x, look(norm1(x)));
    return residual(y, think(norm2(y)));
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    refuse_unless(x.rank() == 3, "x: (B, T, D)");
    refuse_unless(x.shape() == grad_y.shape(), "grad_y: (B, T, D)");
    const auto& [gain1, bias1] = block.norm1;
    const auto& [gain2, bias2] = block.norm2;
    const double eps = block.eps;

    if (block.order == Order::post_norm) {
        const Tensor before1 = residual(x, block.attention.forward(x));
        const Tensor y = layer_norm(before1, gain1, bias1, eps);
        const Tensor before2 = mlp(block.mlp, y, block.gelu);

        const auto n2 = layer_norm_backward(before2, gain2, eps, grad_y);
        const auto m = mlp_backward(block.mlp, y, n2.x, block.gelu);
        const auto n1 = layer_norm_backward(before1, gain1, eps, n2.x + m.x);
        const Tensor a = block.attention.backward(x, n1.x);
        return {residual(n1.x, a), {n1.gain, n1.bias}, {n2.gain, n2.bias}, m.weights};
    }

    const Tensor seen = layer_norm(x, gain1, bias1, eps);
    const Tensor y = residual(x, block.attention.forward(seen));
    const Tensor thought = layer_norm(y, gain2, bias2, eps);

    const auto m = mlp_backward(block.mlp, thought, grad_y, block.gelu);
    const auto n2 = layer_norm_backward(y, gain2, eps, m.x);
    const Tensor grad_of_y = grad_y + n2.x;
    const Tensor a = block.attention.backward(seen, grad_of_y);
    const auto n1 = layer_norm_backward(x, gain1, eps, a);
    return {grad_of_y + n1.x, {n1.gain, n1.bias}, {n2.gain, n2.bias}, m.weights};
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    refuse_unless(!blocks.empty(), "blocks: at least one");
    refuse_unless(x.rank() == 3 && x.shape() == grad_y.shape(), "x and grad_y: (B, T, D)");
    const auto L = static_cast<std::ptrdiff_t>(blocks.size());
    std::vector<Tensor> kept(1, x);
    for (auto block = blocks.begin(); block + 1 != blocks.end(); ++block)
        kept.push_back(block_forward(*block, kept.back()));
    std::vector<BlockGradients> grads(blocks.size());
    for (std::ptrdiff_t i = L - 1; i >= 0; --i) {
        const auto at = static_cast<std::size_t>(i);
        grads[at] = block_backward(blocks[at], kept[at], i == L - 1 ? grad_y : grads[at + 1].x);
    }
    return grads;
}

}  // namespace headway::ex14
