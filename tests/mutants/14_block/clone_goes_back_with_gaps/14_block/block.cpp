#include "block.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>

// One norm, a template over whether the mean is taken off; everything works on rows, which are spans of dense copies.

namespace headway::ex14 {
namespace {

using Row = std::span<float>;
using ConstRow = std::span<const float>;

/// Dense numbers as rows of the last axis.
struct Rows {
    explicit Rows(const Tensor& x) : dense(x.contiguous()), width(x.size(-1)) {}

    Index count() const { return dense.numel() / width; }
    ConstRow operator[](Index row) const {
        return {static_cast<const Tensor&>(dense).data() + row * width, static_cast<std::size_t>(width)};
    }
    Row writable(Index row) { return {dense.data() + row * width, static_cast<std::size_t>(width)}; }

    Tensor dense;
    Index width;
};

void require(bool holds) {
    if (!holds) throw std::invalid_argument("exercise 14: a shape or eps does not fit");
}

bool is(const Tensor& x, const Shape& shape) { return x.shape() == shape; }

enum class Kind { layer, rms };

template <Kind kind>
class Normed {
public:
    Normed(ConstRow x, double eps) : hat_(x.begin(), x.end()) {
        const double D = static_cast<double>(x.size());
        if constexpr (kind == Kind::layer) {
            const double mean = std::accumulate(hat_.begin(), hat_.end(), 0.0) / D;
            std::for_each(hat_.begin(), hat_.end(), [mean](double& h) { h -= mean; });
        }
        const double squares = std::inner_product(hat_.begin(), hat_.end(), hat_.begin(), 0.0);
        s_ = std::sqrt(squares / D + eps);
        std::for_each(hat_.begin(), hat_.end(), [this](double& h) { h /= s_; });
    }

    double operator[](std::size_t i) const { return hat_[i]; }

    /// grad_y of this token to grad_x; adds to the sums of gain and, where there is one, bias.
    void back(ConstRow gain, ConstRow grad_y, Row grad_x, std::vector<double>& grad_gain,
              std::vector<double>& grad_bias) const {
        const std::size_t D = hat_.size();
        std::vector<double> g(D);
        for (std::size_t i = 0; i < D; ++i) {
            g[i] = static_cast<double>(grad_y[i]) * gain[i];
            grad_gain[i] += grad_y[i] * hat_[i];
            grad_bias[i] += grad_y[i];
        }
        double along = 0, shift = 0;
        for (std::size_t i = 0; i < D; ++i) along += g[i] * hat_[i] / static_cast<double>(D);
        if constexpr (kind == Kind::layer) shift = std::accumulate(g.begin(), g.end(), 0.0) / static_cast<double>(D);
        for (std::size_t i = 0; i < D; ++i) grad_x[i] = static_cast<float>((g[i] - shift - hat_[i] * along) / s_);
    }

private:
    std::vector<double> hat_;
    double s_ = 1;
};

Tensor to_tensor(const std::vector<double>& sums) {
    Tensor result = Tensor::zeros({static_cast<Index>(sums.size())});
    std::transform(sums.begin(), sums.end(), result.data(), [](double sum) { return static_cast<float>(sum); });
    return result;
}

template <Kind kind>
Tensor norm_forward(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    require(x.rank() == 3 && is(gain, {x.size(2)}) && (!bias.defined() || is(bias, {x.size(2)})) && eps > 0);
    const Rows in(x), gains(gain);
    Rows out(Tensor::zeros(x.shape()));
    for (Index row = 0; row < in.count(); ++row) {
        const Normed<kind> hat(in[row], eps);
        const Row y = out.writable(row);
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double shift = bias.defined() ? bias(i) : 0.0F;
            y[i] = static_cast<float>(hat[i] * gains[0][i] + shift);
        }
    }
    return out.dense;
}

template <Kind kind>
LayerNormGradients norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    require(x.rank() == 3 && is(grad_y, x.shape()) && is(gain, {x.size(2)}) && eps > 0);
    const Rows in(x), gains(gain), grads(grad_y);
    Rows out(Tensor::zeros(x.shape()));
    std::vector<double> grad_gain(x.size(2)), grad_bias(x.size(2));
    for (Index row = 0; row < in.count(); ++row)
        Normed<kind>(in[row], eps).back(gains[0], grads[row], out.writable(row), grad_gain, grad_bias);
    return {out.dense, to_tensor(grad_gain), to_tensor(grad_bias)};
}

const double root_half = std::sqrt(0.5);
const double k = std::sqrt(2 / std::acos(-1.0));
constexpr double cubic = 0.044715;

/// Calls f(value, slope) of the curve at x.
template <class F>
auto curve(double x, Gelu formula, F f) {
    if (formula == Gelu::exact) {
        const double below = 0.5 * std::erfc(-x * root_half);
        return f(x * below, below + x * std::exp(-x * x / 2) * k / 2);  // 1 / √(2π) = √(2/π) / 2
    }
    const double t = std::tanh(k * (x + cubic * x * x * x));
    const double slope_of_inner = k * (1 + 3 * cubic * x * x);
    return f(x / 2 * (1 + t), (1 + t) / 2 + x / 2 * (1 - t * t) * slope_of_inner);
}

template <class F>
Tensor map(const Tensor& x, F f) {
    Tensor out = x.clone();
    std::transform(out.data(), out.data() + out.numel(), out.data(), f);
    return out;
}

Index check_mlp(const MlpWeights& w, const Tensor& x, bool with_b_out) {
    require(x.rank() == 3);
    const Index D = x.size(2);
    require(w.b_in.rank() == 1);
    const Index F = w.b_in.size(0);
    require(is(w.w_in, {D, F}) && is(w.w_out, {F, D}));
    if (with_b_out) require(is(w.b_out, {D}));
    return F;
}

Tensor transposed(const Tensor& matrix) { return matrix.transpose(0, 1); }

Tensor merged(const Tensor& x) { return x.contiguous().view({-1, x.size(2)}); }

Tensor sum_rows(const Tensor& x) { return sum(merged(x), 0); }

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    require(bias.defined());
    return norm_forward<Kind::layer>(x, gain, bias, eps);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    return norm_forward<Kind::rms>(x, gain, Tensor{}, eps);
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    return norm_backward<Kind::layer>(x, gain, eps, grad_y);
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    LayerNormGradients grads = norm_backward<Kind::rms>(x, gain, eps, grad_y);
    return {grads.x, grads.gain};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    return map(x, [=](float at) {
        return curve(at, formula, [](double value, double) { return static_cast<float>(value); });
    });
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    require(is(grad_y, x.shape()));
    const Tensor slopes = map(x, [=](float at) {
        return curve(at, formula, [](double, double slope) { return static_cast<float>(slope); });
    });
    return slopes * grad_y;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_mlp(weights, x, true);
    const Tensor hidden = gelu(matmul(x, weights.w_in) + weights.b_in, formula);
    return matmul(hidden, weights.w_out) + weights.b_out;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_mlp(weights, x, false);
    require(is(grad_y, x.shape()));
    const Tensor hidden_in = matmul(x, weights.w_in) + weights.b_in;
    const Tensor hidden_out = gelu(hidden_in, formula);
    const Tensor grad_in = gelu_backward(hidden_in, matmul(grad_y, transposed(weights.w_out)), formula);
    return {matmul(grad_in, transposed(weights.w_in)),
            {matmul(transposed(merged(x)), merged(grad_in)), sum_rows(grad_in),
             matmul(transposed(merged(hidden_out)), merged(grad_y)), sum_rows(grad_y)}};
}

Tensor block_forward(const Block& block, const Tensor& x) {
    require(x.rank() == 3);
    const auto norm1 = [&](const Tensor& in) { return layer_norm(in, block.norm1.gain, block.norm1.bias, block.eps); };
    const auto norm2 = [&](const Tensor& in) { return layer_norm(in, block.norm2.gain, block.norm2.bias, block.eps); };
    const auto thinks = [&](const Tensor& in) { return mlp(block.mlp, in, block.gelu); };
    if (block.order == Order::post_norm) {
        const Tensor y = norm1(x + block.attention.forward(x));
        return norm2(y + thinks(y));
    }
    const Tensor y = x + block.attention.forward(norm1(x));
    return y + thinks(norm2(y));
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    require(x.rank() == 3 && is(grad_y, x.shape()));
    const bool pre = block.order == Order::pre_norm;
    const auto& [norm1, norm2, weights, attention, order, formula, eps] = block;

    // What went into attention, into the first residual's result, into the MLP, and into the second norm.
    const Tensor into_attention = pre ? layer_norm(x, norm1.gain, norm1.bias, eps) : x;
    const Tensor after_attention = x + attention.forward(into_attention);
    const Tensor y = pre ? after_attention : layer_norm(after_attention, norm1.gain, norm1.bias, eps);
    const Tensor into_mlp = pre ? layer_norm(y, norm2.gain, norm2.bias, eps) : y;

    if (pre) {
        const auto mlp_grads = mlp_backward(weights, into_mlp, grad_y, formula);
        const auto norm2_grads = layer_norm_backward(y, norm2.gain, eps, mlp_grads.x);
        const Tensor grad = grad_y + norm2_grads.x;
        const auto norm1_grads = layer_norm_backward(x, norm1.gain, eps, attention.backward(into_attention, grad));
        return {grad + norm1_grads.x,
                {norm1_grads.gain, norm1_grads.bias},
                {norm2_grads.gain, norm2_grads.bias},
                mlp_grads.weights};
    }
    const Tensor after_mlp = y + mlp(weights, into_mlp, formula);
    const auto norm2_grads = layer_norm_backward(after_mlp, norm2.gain, eps, grad_y);
    const auto mlp_grads = mlp_backward(weights, into_mlp, norm2_grads.x, formula);
    const auto norm1_grads = layer_norm_backward(after_attention, norm1.gain, eps, norm2_grads.x + mlp_grads.x);
    const Tensor grad_attention = attention.backward(into_attention, norm1_grads.x);
    return {norm1_grads.x + grad_attention,
            {norm1_grads.gain, norm1_grads.bias},
            {norm2_grads.gain, norm2_grads.bias},
            mlp_grads.weights};
}

namespace {

/// Goes to the last block and comes back: the inputs are kept by the calls.
Tensor back_from(std::span<const Block> blocks, std::span<BlockGradients> grads, const Tensor& x,
                 const Tensor& grad_y) {
    if (blocks.empty()) return grad_y;
    const bool is_last = blocks.size() == 1;
    const Tensor grad =
        is_last ? grad_y : back_from(blocks.subspan(1), grads.subspan(1), block_forward(blocks[0], x), grad_y);
    grads[0] = block_backward(blocks[0], x, grad);
    return grads[0].x;
}

}  // namespace

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    require(!blocks.empty() && x.rank() == 3 && is(grad_y, x.shape()));
    std::vector<BlockGradients> grads(blocks.size());
    back_from(blocks, grads, x, grad_y);
    return grads;
}

}  // namespace headway::ex14
