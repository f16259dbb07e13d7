// Everything in double: tensors become vectors of double on entry, and rounding is done once, at the end.
#include "block.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex14 {
namespace {

using Numbers = std::vector<double>;

Numbers numbers(const Tensor& x) {
    const Tensor dense = x.contiguous();
    return {dense.data(), dense.data() + dense.numel()};
}

Tensor tensor(const Shape& shape, const Numbers& from) { return Tensor::of(shape, {from.begin(), from.end()}); }

void fit(const Tensor& x, const Shape& shape) {
    if (x.shape() != shape)
        throw std::invalid_argument("a tensor is " + to_string(x.shape()) + ", where " + to_string(shape) + " fits");
}

void fit_tokens(const Tensor& x) {
    if (x.rank() != 3) throw std::invalid_argument("(B, T, D) is needed, not " + to_string(x.shape()));
}

void fit_eps(double eps) {
    if (eps > 0) return;
    throw std::invalid_argument("eps must be positive");
}

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

struct Normal {
    Numbers hat, divisor;  ///< per element, per token
};

Normal normal(const Numbers& x, std::size_t D, double eps, double share_of_mean) {
    Normal result{x, {}};
    for (std::size_t begin = 0; begin < x.size(); begin += D) {
        double mean = 0, variance = 0;
        for (std::size_t i = begin; i < begin + D; ++i) mean += share_of_mean * x[i] / static_cast<double>(D);
        for (std::size_t i = begin; i < begin + D; ++i) variance += std::pow(x[i] - mean, 2) / static_cast<double>(D);
        result.divisor.push_back(std::sqrt(variance + eps));
        for (std::size_t i = begin; i < begin + D; ++i) result.hat[i] = (x[i] - mean) / result.divisor.back();
    }
    return result;
}

struct Back {
    Numbers x, gain, bias;
};

Back back(const Normal& normal, const Numbers& gain, const Numbers& grad, double share_of_mean) {
    const std::size_t D = gain.size();
    Back result{grad, Numbers(D), Numbers(D)};
    for (std::size_t token = 0; token < normal.divisor.size(); ++token) {
        double mean = 0, along = 0;
        for (std::size_t i = 0; i < D; ++i) {
            const std::size_t at = token * D + i;
            result.gain[i] += grad[at] * normal.hat[at];
            result.bias[i] += grad[at];
            mean += share_of_mean * grad[at] * gain[i] / static_cast<double>(D);
            along += grad[at] * gain[i] * normal.hat[at] / static_cast<double>(D);
        }
        for (std::size_t i = 0; i < D; ++i) {
            const std::size_t at = token * D + i;
            result.x[at] = (grad[at] * gain[i] - mean - normal.hat[at] * along) / normal.divisor[token];
        }
    }
    return result;
}

const double pi = std::acos(-1.0);

double shift(double x) { return std::sqrt(2 / pi) * (x + 0.044715 * x * x * x); }

/// tanh by exp, of what cannot overflow.
double tanh_of(double u) {
    const double small = std::exp(-2 * std::fabs(u));
    const double t = (1 - small) / (1 + small);
    return u < 0 ? -t : t;
}

double value(double x, Gelu formula) {
    return formula == Gelu::tanh ? 0.5 * x * (1 + tanh_of(shift(x))) : 0.5 * x * std::erfc(-x * std::sqrt(0.5));
}

double derivative(double x, Gelu formula) {
    if (formula == Gelu::exact)
        return 0.5 * std::erfc(-x * std::sqrt(0.5)) + x / std::sqrt(2 * pi) * std::exp(-x * x / 2);
    const double cosh = std::cosh(std::fmin(300.0, std::fabs(shift(x))));
    return 0.5 * (1 + tanh_of(shift(x))) + 0.5 * x / (cosh * cosh) * std::sqrt(2 / pi) * (1 + 0.134145 * x * x);
}

/// (rows, in) · (in, out), either turned.
Numbers product(const Numbers& a, const Numbers& b, std::size_t rows, std::size_t in, std::size_t out, bool a_turned,
                bool b_turned) {
    Numbers c(rows * out);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t i = 0; i < in; ++i)
            for (std::size_t o = 0; o < out; ++o)
                c[r * out + o] +=
                    (a_turned ? a[i * rows + r] : a[r * in + i]) * (b_turned ? b[o * in + i] : b[i * out + o]);
    return c;
}

void add_to_rows(Numbers& y, const Numbers& bias) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i % bias.size()];
}

Numbers column_sums(const Numbers& y, std::size_t width) {
    Numbers total(width);
    for (std::size_t i = 0; i < y.size(); ++i) total[i % width] += y[i];
    return total;
}

void fit_mlp(const MlpWeights& weights, const Tensor& x) {
    fit_tokens(x);
    if (weights.w_in.rank() != 2) throw std::invalid_argument("w_in must be a matrix");
    const Index D = x.size(2), F = weights.w_in.size(1);
    fit(weights.w_in, {D, F});
    fit(weights.b_in, {F});
    fit(weights.w_out, {F, D});
    fit(weights.b_out, {D});
}

Numbers before_activation(const MlpWeights& weights, const Tensor& x) {
    const std::size_t D = size(x.size(2)), F = size(weights.w_in.size(1)), rows = size(x.numel()) / D;
    Numbers a = product(numbers(x), numbers(weights.w_in), rows, D, F, false, false);
    add_to_rows(a, numbers(weights.b_in));
    return a;
}

Numbers each(Numbers all, Gelu formula, double (*function)(double, Gelu)) {
    for (double& one : all) one = function(one, formula);
    return all;
}

/// One of the two halves of a block: a norm, and what is added.
struct Half {
    const NormWeights& norm;
    double eps;
    Order order;
    std::function<Tensor(const Tensor&)> add;

    Tensor normed(const Tensor& x) const { return layer_norm(x, norm.gain, norm.bias, eps); }
    Tensor operator()(const Tensor& x) const {
        return order == Order::pre_norm ? x + add(normed(x)) : normed(x + add(x));
    }
    /// @param through  the gradient of what is added
    Tensor back(const Tensor& x, const Tensor& grad, NormWeights& of_norm,
                const std::function<Tensor(const Tensor&, const Tensor&)>& through) const {
        if (order == Order::pre_norm) {
            const auto [past, gain, bias] = layer_norm_backward(x, norm.gain, eps, through(normed(x), grad));
            of_norm = {gain, bias};
            return grad + past;
        }
        const auto [inner, gain, bias] = layer_norm_backward(x + add(x), norm.gain, eps, grad);
        of_norm = {gain, bias};
        return inner + through(x, inner);
    }
};

Half first_half(const Block& block) { return {block.norm1, block.eps, block.order, block.attention.forward}; }
Half second_half(const Block& block) {
    return {block.norm2, block.eps, block.order, [&](const Tensor& x) { return mlp(block.mlp, x, block.gelu); }};
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    fit_tokens(x);
    fit(gain, {x.size(2)});
    fit(bias, {x.size(2)});
    fit_eps(eps);
    Numbers y = normal(numbers(x), size(x.size(2)), eps, 1).hat;
    const Numbers factors = numbers(gain);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] *= factors[i % factors.size()];
    add_to_rows(y, numbers(bias));
    return tensor(x.shape(), y);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    fit_tokens(x);
    fit(gain, {x.size(2)});
    fit_eps(eps);
    Numbers y = normal(numbers(x), size(x.size(2)), eps, 0).hat;
    const Numbers factors = numbers(gain);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] *= factors[i % factors.size()];
    return tensor(x.shape(), y);
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    fit_tokens(x);
    fit(gain, {x.size(2)});
    fit(grad_y, x.shape());
    fit_eps(eps);
    const Back all = back(normal(numbers(x), size(x.size(2)), eps, 1), numbers(gain), numbers(grad_y), 1);
    return {tensor(x.shape(), all.x), tensor(gain.shape(), all.gain), tensor(gain.shape(), all.bias)};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    fit_tokens(x);
    fit(gain, {x.size(2)});
    fit(grad_y, x.shape());
    fit_eps(eps);
    const Back all = back(normal(numbers(x), size(x.size(2)), eps, 0), numbers(gain), numbers(grad_y), 0);
    return {tensor(x.shape(), all.x), tensor(gain.shape(), all.gain)};
}

Tensor gelu(const Tensor& x, Gelu formula) { return tensor(x.shape(), each(numbers(x), formula, &value)); }

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    fit(grad_y, x.shape());
    Numbers result = each(numbers(x), formula, &derivative);
    const Numbers grad = numbers(grad_y);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] *= grad[i];
    return tensor(x.shape(), result);
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    fit_mlp(weights, x);
    const Numbers hidden = each(before_activation(weights, x), formula, &value);
    const std::size_t D = size(x.size(2)), F = size(weights.w_in.size(1)), rows = size(x.numel()) / D;
    Numbers y = product(hidden, numbers(weights.w_out), rows, F, D, false, false);
    add_to_rows(y, numbers(weights.b_out));
    return tensor(x.shape(), y);
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    fit_mlp(weights, x);
    fit(grad_y, x.shape());
    const std::size_t D = size(x.size(2)), F = size(weights.w_in.size(1)), rows = size(x.numel()) / D;
    const Numbers a = before_activation(weights, x), grad = numbers(grad_y);
    Numbers grad_a = product(grad, numbers(weights.w_out), rows, D, F, false, true);
    for (std::size_t i = 0; i < grad_a.size(); ++i) grad_a[i] *= derivative(a[i], formula);
    const Numbers hidden = each(a, formula, &value);
    return {tensor(x.shape(), product(grad_a, numbers(weights.w_in), rows, F, D, false, true)),
            {tensor(weights.w_in.shape(), product(numbers(x), grad_a, D, rows, F, true, false)),
             tensor(weights.b_in.shape(), column_sums(grad_a, F)),
             tensor(weights.w_out.shape(), product(hidden, grad, F, rows, D, true, false)),
             tensor(weights.b_out.shape(), column_sums(grad, D))}};
}

Tensor block_forward(const Block& block, const Tensor& x) { return second_half(block)(first_half(block)(x)); }

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    fit(grad_y, x.shape());
    BlockGradients result;
    const Half first = first_half(block);
    const auto through_mlp = [&](const Tensor& at, const Tensor& grad) {
        auto [of_x, of_weights] = mlp_backward(block.mlp, at, grad, block.gelu);
        result.mlp = of_weights;
        return of_x;
    };
    const Tensor grad = second_half(block).back(first(x), grad_y, result.norm2, through_mlp);
    result.x = first.back(x, grad, result.norm1, block.attention.backward);
    return result;
}

namespace {

/// Blocks from number i on: forwards on the way down, backwards on the way up.
Tensor from_block(std::size_t i, const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y,
                  std::vector<BlockGradients>& result) {
    if (i == blocks.size()) return grad_y;
    const bool is_last = i + 1 == blocks.size();
    const Tensor next = is_last ? x : block_forward(blocks[i], x);
    result[i] = block_backward(blocks[i], x, from_block(i + 1, blocks, next, grad_y, result));
    return result[i].x;
}

}  // namespace

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    if (blocks.empty()) throw std::invalid_argument("there is no block");
    fit_tokens(x);
    std::vector<BlockGradients> result(blocks.size());
    from_block(0, blocks, x, grad_y, result);
    return result;
}

}  // namespace headway::ex14
