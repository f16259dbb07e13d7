// Token by token, with plain loops over rows of floats; sums in double.
#include "block.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace headway::ex14 {
namespace {

void check(bool fits, const char* why) {
    if (!fits) throw std::invalid_argument(why);
}

/// The features of all tokens, row after row.
struct Rows {
    Tensor dense;
    Index count, width;

    explicit Rows(const Tensor& x) : dense(x.contiguous()), count(0), width(0) {
        check(x.rank() == 3, "x must be (B, T, D)");
        count = x.size(0) * x.size(1);
        width = x.size(2);
    }
    const float* operator[](Index row) const { return dense.data() + row * width; }
};

void check_vector(const Tensor& v, Index width) {
    check(v.rank() == 1 && v.size(0) == width, "gain and bias must be as wide as x");
}

/// What a norm takes from and divides a token by.
struct Spread {
    double mean = 0, divisor = 1;
};

enum class Centre { no, yes };

Spread spread_of(const float* x, Index D, Centre centre, double eps) {
    Spread spread;
    if (centre == Centre::yes) {
        for (Index i = 0; i < D; ++i) spread.mean += x[i];
        spread.mean /= static_cast<double>(D);
    }
    double squares = 0;
    for (Index i = 0; i < D; ++i) {
        const double apart = x[i] - spread.mean;
        squares += apart * apart;
    }
    spread.divisor = std::sqrt(squares / static_cast<double>(D) + eps);
    return spread;
}

double hat(float x, const Spread& spread) { return (static_cast<double>(x) - spread.mean) / spread.divisor; }

Tensor normed(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps, Centre centre) {
    const Rows rows(x);
    check(eps > 0, "eps must be above 0");
    check_vector(gain, rows.width);
    check_vector(bias, rows.width);
    Tensor y = Tensor::empty(x.shape());
    for (Index row = 0; row < rows.count; ++row) {
        const float* in = rows[row];
        float* out = y.data() + row * rows.width;
        const Spread spread = spread_of(in, rows.width, centre, eps);
        for (Index i = 0; i < rows.width; ++i)
            out[i] =
                static_cast<float>(hat(in[i], spread) * static_cast<double>(gain(i)) + static_cast<double>(bias(i)));
    }
    return y;
}

LayerNormGradients normed_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y,
                                   Centre centre) {
    const Rows rows(x), grads(grad_y);
    check(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    check(eps > 0, "eps must be above 0");
    check_vector(gain, rows.width);
    const Index D = rows.width;
    LayerNormGradients result{Tensor::empty(x.shape()), Tensor::zeros({D}), Tensor::zeros({D})};
    for (Index row = 0; row < rows.count; ++row) {
        const float *in = rows[row], *grad = grads[row];
        float* out = result.x.data() + row * D;
        const Spread spread = spread_of(in, D, centre, eps);
        double shift = 0, along = 0;
        for (Index i = 0; i < D; ++i) {
            const double g = static_cast<double>(grad[i]) * static_cast<double>(gain(i));
            shift += g / static_cast<double>(D);
            along += g * hat(in[i], spread) / static_cast<double>(D);
            result.gain(i) += static_cast<float>(static_cast<double>(grad[i]) * hat(in[i], spread));
            result.bias(i) += grad[i];
        }
        if (centre == Centre::no) shift = 0;
        for (Index i = 0; i < D; ++i) {
            const double g = static_cast<double>(grad[i]) * static_cast<double>(gain(i));
            out[i] = static_cast<float>((g - shift - hat(in[i], spread) * along) / spread.divisor);
        }
    }
    return result;
}

float curve(float x, Gelu formula) {
    if (formula == Gelu::exact) return 0.5F * x * (1 + std::erf(x / std::numbers::sqrt2_v<float>));
    const float inner = std::sqrt(2 / std::numbers::pi_v<float>) * (x + 0.044715F * x * x * x);
    return 0.5F * x * (1 + std::tanh(inner));
}

float slope(float x, Gelu formula) {
    if (formula == Gelu::exact) {
        const float density = std::exp(-0.5F * x * x) / std::sqrt(2 * std::numbers::pi_v<float>);
        return 0.5F * (1 + std::erf(x / std::numbers::sqrt2_v<float>)) + x * density;
    }
    const float factor = std::sqrt(2 / std::numbers::pi_v<float>);
    const float t = std::tanh(factor * (x + 0.044715F * x * x * x));
    return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * factor * (1 + 3 * 0.044715F * x * x);
}

void check_mlp(const MlpWeights& w, Index D) {
    check(w.w_in.rank() == 2 && w.w_in.size(0) == D, "w_in must be (D, F)");
    const Index F = w.w_in.size(1);
    check(w.w_out.shape() == Shape{F, D}, "w_out must be (F, D)");
    check_vector(w.b_in, F);
    check_vector(w.b_out, D);
}

/// x·w + b for one token.
std::vector<float> mapped(const float* x, const Tensor& w, const Tensor& b) {
    std::vector<float> y(static_cast<std::size_t>(w.size(1)));
    for (Index j = 0; j < w.size(1); ++j) {
        double total = static_cast<double>(b(j));
        for (Index i = 0; i < w.size(0); ++i) total += static_cast<double>(x[i]) * static_cast<double>(w(i, j));
        y[static_cast<std::size_t>(j)] = static_cast<float>(total);
    }
    return y;
}

/// Adds what one token gives to the gradient of w in x·w; returns the gradient of x.
std::vector<float> mapped_backward(const float* x, const Tensor& w, const float* grad_y, Tensor& grad_w,
                                   Tensor& grad_b) {
    std::vector<float> grad_x(static_cast<std::size_t>(w.size(0)));
    for (Index i = 0; i < w.size(0); ++i) {
        double total = 0;
        for (Index j = 0; j < w.size(1); ++j) {
            total += static_cast<double>(grad_y[j]) * static_cast<double>(w(i, j));
            grad_w(i, j) += x[i] * grad_y[j];
        }
        grad_x[static_cast<std::size_t>(i)] = static_cast<float>(total);
    }
    for (Index j = 0; j < w.size(1); ++j) grad_b(j) += grad_y[j];
    return grad_x;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    return normed(x, gain, bias, eps, Centre::yes);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    return normed(x, gain, Tensor::zeros(gain.shape()), eps, Centre::no);
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    return normed_backward(x, gain, eps, grad_y, Centre::yes);
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    const LayerNormGradients all = normed_backward(x, gain, eps, grad_y, Centre::no);
    return {all.x, all.gain};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    const Tensor in = x.contiguous();
    Tensor y = Tensor::empty(x.shape());
    for (Index i = 0; i < in.numel(); ++i) y.data()[i] = curve(in.data()[i], formula);
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    const Tensor in = x.contiguous(), grad = grad_y.contiguous();
    Tensor result = Tensor::empty(x.shape());
    for (Index i = 0; i < in.numel(); ++i) result.data()[i] = grad.data()[i] * slope(in.data()[i], formula);
    return result;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    const Rows rows(x);
    check_mlp(weights, rows.width);
    Tensor y = Tensor::empty(x.shape());
    for (Index row = 0; row < rows.count; ++row) {
        std::vector<float> hidden = mapped(rows[row], weights.w_in, weights.b_in);
        for (float& one : hidden) one = curve(one, formula);
        const std::vector<float> out = mapped(hidden.data(), weights.w_out, weights.b_out);
        for (Index i = 0; i < rows.width; ++i) y.data()[row * rows.width + i] = out[static_cast<std::size_t>(i)];
    }
    return y;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    const Rows rows(x), grads(grad_y);
    check(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    check_mlp(weights, rows.width);
    MlpGradients result{Tensor::empty(x.shape()),
                        {Tensor::zeros(weights.w_in.shape()), Tensor::zeros(weights.b_in.shape()),
                         Tensor::zeros(weights.w_out.shape()), Tensor::zeros(weights.b_out.shape())}};
    for (Index row = 0; row < rows.count; ++row) {
        const std::vector<float> before = mapped(rows[row], weights.w_in, weights.b_in);
        std::vector<float> hidden = before;
        for (float& one : hidden) one = curve(one, formula);
        std::vector<float> grad =
            mapped_backward(hidden.data(), weights.w_out, grads[row], result.weights.w_out, result.weights.b_out);
        for (std::size_t i = 0; i < grad.size(); ++i) grad[i] *= slope(before[i], formula);
        const std::vector<float> of_x =
            mapped_backward(rows[row], weights.w_in, grad.data(), result.weights.w_in, result.weights.b_in);
        for (Index i = 0; i < rows.width; ++i)
            result.x.data()[row * rows.width + i] = of_x[static_cast<std::size_t>(i)];
    }
    return result;
}

Tensor block_forward(const Block& block, const Tensor& x) {
    const auto& [n1, n2, weights, attention, order, formula, eps] = block;
    const bool first = order == Order::pre_norm;
    Tensor y = first ? layer_norm(x, n1.gain, n1.bias, eps) : x;
    y = x + attention.forward(y);
    if (!first) y = layer_norm(y, n1.gain, n1.bias, eps);
    Tensor z = first ? layer_norm(y, n2.gain, n2.bias, eps) : y;
    z = y + mlp(weights, z, formula);
    return first ? z : layer_norm(z, n2.gain, n2.bias, eps);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    check(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    const auto& [n1, n2, weights, attention, order, formula, eps] = block;
    const bool first = order == Order::pre_norm;
    // The way forward once more.
    const Tensor seen = first ? layer_norm(x, n1.gain, n1.bias, eps) : x;
    const Tensor sum1 = x + attention.forward(seen);
    const Tensor y = first ? sum1 : layer_norm(sum1, n1.gain, n1.bias, eps);
    const Tensor seen2 = first ? layer_norm(y, n2.gain, n2.bias, eps) : y;

    BlockGradients result;
    Tensor grad = grad_y;
    if (!first) {
        const auto back = layer_norm_backward(y + mlp(weights, seen2, formula), n2.gain, eps, grad);
        result.norm2 = {back.gain, back.bias};
        grad = back.x;
    }
    const MlpGradients through = mlp_backward(weights, seen2, grad, formula);
    result.mlp = through.weights;
    if (first) {
        const auto back = layer_norm_backward(y, n2.gain, eps, through.x);
        result.norm2 = {back.gain, back.bias};
        grad = grad + back.x;
    } else {
        const auto back = layer_norm_backward(sum1, n1.gain, eps, grad + through.x);
        result.norm1 = {back.gain, back.bias};
        grad = back.x;
    }
    Tensor through1 = attention.backward(seen, grad);
    if (first) {
        const auto back = layer_norm_backward(x, n1.gain, eps, through1);
        result.norm1 = {back.gain, back.bias};
        through1 = back.x;
    }
    result.x = grad + through1;
    return result;
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    check(!blocks.empty(), "there is no block");
    std::vector<Tensor> kept;
    Tensor at = x;
    for (const Block& block : blocks) {
        kept.push_back(at);
        at = block_forward(block, at);
    }
    std::vector<BlockGradients> result(blocks.size());
    Tensor grad = grad_y;
    for (std::size_t i = blocks.size(); i > 0; --i) {
        result[i - 1] = block_backward(blocks[i - 1], kept[i - 1], grad);
        grad = result[i - 1].x;
    }
    return result;
}

}  // namespace headway::ex14
