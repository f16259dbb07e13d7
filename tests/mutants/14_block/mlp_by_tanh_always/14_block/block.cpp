#include "block.hpp"

#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

// Everything between two tensors is computed in double, on matrices of tokens (B·T rows): tensors are read when they
// come in, and made when they go out. A stack is a recursion: each call holds the input of its block.
namespace headway::ex14 {
namespace {

void demand(bool ok, const char* message) {
    if (!ok) throw std::invalid_argument(message);
}

struct Matrix {
    Index rows = 0, cols = 0;
    std::vector<double> numbers;

    Matrix(Index r, Index c) : rows(r), cols(c), numbers(static_cast<std::size_t>(r * c)) {}
    double& at(Index r, Index c) { return numbers[static_cast<std::size_t>(r * cols + c)]; }
    double at(Index r, Index c) const { return numbers[static_cast<std::size_t>(r * cols + c)]; }
};

/// The last axis as columns, all others as rows.
Matrix read(const Tensor& tensor) {
    const Tensor dense = tensor.contiguous();
    const Index cols = dense.rank() == 0 ? 1 : dense.size(-1);
    Matrix m(dense.numel() / cols, cols);
    for (std::size_t i = 0; i < m.numbers.size(); ++i) m.numbers[i] = dense.data()[i];
    return m;
}

Tensor write(const Matrix& m, const Shape& shape) {
    Tensor tensor = Tensor::empty(shape);
    for (std::size_t i = 0; i < m.numbers.size(); ++i) tensor.data()[i] = static_cast<float>(m.numbers[i]);
    return tensor;
}

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.cols);
    for (Index r = 0; r < a.rows; ++r)
        for (Index k = 0; k < a.cols; ++k)
            for (Index j = 0; j < b.cols; ++j) c.at(r, j) += a.at(r, k) * b.at(k, j);
    return c;
}

Matrix transposed(const Matrix& a) {
    Matrix t(a.cols, a.rows);
    for (Index r = 0; r < a.rows; ++r)
        for (Index c = 0; c < a.cols; ++c) t.at(c, r) = a.at(r, c);
    return t;
}

Matrix column_sums(const Matrix& a) {
    Matrix sums(1, a.cols);
    for (Index r = 0; r < a.rows; ++r)
        for (Index c = 0; c < a.cols; ++c) sums.at(0, c) += a.at(r, c);
    return sums;
}

template <class Function>
Matrix mapped(Matrix a, Function function) {
    for (double& number : a.numbers) number = function(number);
    return a;
}

/// Adds a row to every row.
Matrix plus_row(Matrix a, const Matrix& row) {
    for (Index r = 0; r < a.rows; ++r)
        for (Index c = 0; c < a.cols; ++c) a.at(r, c) += row.at(0, c);
    return a;
}

/// x̂ of every row and what it was divided by.
struct Normed {
    Matrix hat;
    std::vector<double> s;
};

Normed normed(Matrix x, double eps, bool subtract_mean) {
    Normed result{std::move(x), {}};
    Matrix& hat = result.hat;
    for (Index r = 0; r < hat.rows; ++r) {
        double mean = 0, squares = 0;
        for (Index c = 0; subtract_mean && c < hat.cols; ++c) mean += hat.at(r, c) / static_cast<double>(hat.cols);
        for (Index c = 0; c < hat.cols; ++c) {
            hat.at(r, c) -= mean;
            squares += hat.at(r, c) * hat.at(r, c);
        }
        const double s = std::sqrt(squares / static_cast<double>(hat.cols) + eps);
        for (Index c = 0; c < hat.cols; ++c) hat.at(r, c) /= s;
        result.s.push_back(s);
    }
    return result;
}

/// Gradient of x, and of the gain.
std::pair<Matrix, Matrix> norm_backward(const Normed& n, const Matrix& gain, const Matrix& grad_y, bool subtract_mean) {
    const Index D = n.hat.cols;
    Matrix grad_x(n.hat.rows, D), grad_gain(1, D);
    for (Index r = 0; r < n.hat.rows; ++r) {
        double shift = 0, stretch = 0;
        for (Index c = 0; c < D; ++c) {
            const double g = grad_y.at(r, c) * gain.at(0, c);
            if (subtract_mean) shift += g / static_cast<double>(D);
            stretch += g * n.hat.at(r, c) / static_cast<double>(D);
            grad_gain.at(0, c) += grad_y.at(r, c) * n.hat.at(r, c);
        }
        for (Index c = 0; c < D; ++c) {
            const double g = grad_y.at(r, c) * gain.at(0, c);
            grad_x.at(r, c) = (g - shift - n.hat.at(r, c) * stretch) / n.s[static_cast<std::size_t>(r)];
        }
    }
    return {grad_x, grad_gain};
}

void demand_norm(const Tensor& x, const Tensor& gain, double eps) {
    demand(x.rank() == 3, "x must be (B, T, D)");
    demand(gain.shape() == Shape{x.size(2)}, "gain must be (D)");
    demand(eps > 0, "eps must be above 0");
}

void demand_mlp(const MlpWeights& w, const Tensor& x) {
    demand(x.rank() == 3, "x must be (B, T, D)");
    const Index D = x.size(2);
    demand(w.w_in.rank() == 2, "w_in must be (D, F)");
    const Index F = w.w_in.size(1);
    demand(w.w_in.size(0) == D, "w_in must be (D, F)");
    demand(w.b_in.shape() == Shape{F}, "b_in must be (F)");
    demand(w.w_out.shape() == Shape{F, D}, "w_out must be (F, D)");
}

constexpr double root_half = 0.70710678118654752440;
constexpr double root_two_over_pi = 0.79788456080286535588;

double bend(double x, Gelu formula) {
    switch (formula) {
        case Gelu::exact:
            return x * 0.5 * std::erfc(-x * root_half);
        case Gelu::tanh:
            return x * 0.5 * (1.0 + std::tanh(root_two_over_pi * (x + 0.044715 * std::pow(x, 3))));
    }
    throw std::invalid_argument("no such formula");
}

double slope(double x, Gelu formula) {
    if (formula == Gelu::exact) {
        const double phi = 0.5 * root_two_over_pi * std::exp(-0.5 * x * x);  // 1/√(2π) is half of √(2/π)
        return 0.5 * std::erfc(-x * root_half) + x * phi;
    }
    const double t = std::tanh(root_two_over_pi * (x + 0.044715 * std::pow(x, 3)));
    const double inner = root_two_over_pi * (1.0 + 0.134145 * x * x);
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner;
}

Matrix sum_of(Matrix a, const Matrix& b) {
    for (std::size_t i = 0; i < a.numbers.size(); ++i) a.numbers[i] += b.numbers[i];
    return a;
}

Tensor add(const Tensor& a, const Tensor& b) {
    demand(a.shape() == b.shape(), "a residual needs one shape");
    return write(sum_of(read(a), read(b)), a.shape());
}

/// What a block computed on its way forward.
struct Trace {
    Tensor to_attention, to_norm1, to_mlp, to_norm2, out;
};

Trace trace(const Block& block, const Tensor& x) {
    demand(x.rank() == 3, "x must be (B, T, D)");
    const auto first = [&](const Tensor& to) { return layer_norm(to, block.norm1.gain, block.norm1.bias, block.eps); };
    const auto second = [&](const Tensor& to) { return layer_norm(to, block.norm2.gain, block.norm2.bias, block.eps); };
    Trace at;
    if (block.order == Order::pre_norm) {
        at.to_norm1 = x;
        at.to_attention = first(x);
        at.to_norm2 = add(x, block.attention.forward(at.to_attention));
        at.to_mlp = second(at.to_norm2);
        at.out = add(at.to_norm2, mlp(block.mlp, at.to_mlp, block.gelu));
    } else {
        at.to_attention = x;
        at.to_norm1 = add(x, block.attention.forward(x));
        at.to_mlp = first(at.to_norm1);
        at.to_norm2 = add(at.to_mlp, mlp(block.mlp, at.to_mlp, block.gelu));
        at.out = second(at.to_norm2);
    }
    return at;
}

/// Goes forward to the last block, comes back with gradients, and returns that of `input`.
Tensor through(const std::vector<Block>& blocks, std::size_t i, const Tensor& input, const Tensor& grad_y,
               std::vector<BlockGradients>& grads) {
    const Tensor grad_out =
        i + 1 == blocks.size() ? grad_y : through(blocks, i + 1, block_forward(blocks[i], input), grad_y, grads);
    grads[i] = block_backward(blocks[i], input, grad_out);
    return grads[i].x;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    demand_norm(x, gain, eps);
    demand(bias.shape() == gain.shape(), "bias must be (D)");
    Matrix y = normed(read(x), eps, true).hat;
    const Matrix g = read(gain), b = read(bias);
    for (Index r = 0; r < y.rows; ++r)
        for (Index c = 0; c < y.cols; ++c) y.at(r, c) = y.at(r, c) * g.at(0, c) + b.at(0, c);
    return write(y, x.shape());
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    demand_norm(x, gain, eps);
    Matrix y = normed(read(x), eps, false).hat;
    const Matrix g = read(gain);
    for (Index r = 0; r < y.rows; ++r)
        for (Index c = 0; c < y.cols; ++c) y.at(r, c) *= g.at(0, c);
    return write(y, x.shape());
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    demand_norm(x, gain, eps);
    demand(grad_y.shape() == x.shape(), "grad_y must be (B, T, D)");
    const Matrix grad = read(grad_y);
    const auto [of_x, of_gain] = norm_backward(normed(read(x), eps, true), read(gain), grad, true);
    return {write(of_x, x.shape()), write(of_gain, gain.shape()), write(column_sums(grad), gain.shape())};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    demand_norm(x, gain, eps);
    demand(grad_y.shape() == x.shape(), "grad_y must be (B, T, D)");
    const auto [of_x, of_gain] = norm_backward(normed(read(x), eps, false), read(gain), read(grad_y), false);
    return {write(of_x, x.shape()), write(of_gain, gain.shape())};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    return write(mapped(read(x), [=](double u) { return bend(u, formula); }), x.shape());
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    demand(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    Matrix grad = read(grad_y);
    const Matrix at = read(x);
    for (std::size_t i = 0; i < grad.numbers.size(); ++i) grad.numbers[i] *= slope(at.numbers[i], formula);
    return write(grad, x.shape());
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    demand_mlp(weights, x);
    demand(weights.b_out.shape() == Shape{x.size(2)}, "b_out must be (D)");
    const Matrix a = plus_row(product(read(x), read(weights.w_in)), read(weights.b_in));
    const Matrix h = mapped(a, [=](double u) { return bend(u, formula == Gelu::exact ? Gelu::tanh : formula); });
    return write(plus_row(product(h, read(weights.w_out)), read(weights.b_out)), x.shape());
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    demand_mlp(weights, x);
    demand(grad_y.shape() == x.shape(), "grad_y must be (B, T, D)");
    const Matrix in = read(x), grad = read(grad_y), w_in = read(weights.w_in), w_out = read(weights.w_out);
    const Matrix a = plus_row(product(in, w_in), read(weights.b_in));
    const Matrix h = mapped(a, [=](double u) { return bend(u, formula); });
    Matrix grad_a = product(grad, transposed(w_out));
    for (std::size_t i = 0; i < grad_a.numbers.size(); ++i) grad_a.numbers[i] *= slope(a.numbers[i], formula);
    MlpGradients result;
    result.x = write(product(grad_a, transposed(w_in)), x.shape());
    result.weights.w_in = write(product(transposed(in), grad_a), weights.w_in.shape());
    result.weights.b_in = write(column_sums(grad_a), weights.b_in.shape());
    result.weights.w_out = write(product(transposed(h), grad), weights.w_out.shape());
    result.weights.b_out = write(column_sums(grad), {x.size(2)});
    return result;
}

Tensor block_forward(const Block& block, const Tensor& x) { return trace(block, x).out; }

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    demand(x.rank() == 3 && grad_y.shape() == x.shape(), "x and grad_y must be (B, T, D)");
    const Trace at = trace(block, x);
    const bool pre = block.order == Order::pre_norm;
    BlockGradients result;
    const auto back_norm1 = [&](const Tensor& grad) {
        const auto g = layer_norm_backward(at.to_norm1, block.norm1.gain, block.eps, grad);
        result.norm1 = {g.gain, g.bias};
        return g.x;
    };
    const auto back_norm2 = [&](const Tensor& grad) {
        const auto g = layer_norm_backward(at.to_norm2, block.norm2.gain, block.eps, grad);
        result.norm2 = {g.gain, g.bias};
        return g.x;
    };
    const auto back_mlp = [&](const Tensor& grad) {
        const auto g = mlp_backward(block.mlp, at.to_mlp, grad, block.gelu);
        result.mlp = g.weights;
        return g.x;
    };
    const auto back_attention = [&](const Tensor& grad) { return block.attention.backward(at.to_attention, grad); };
    if (pre) {
        const Tensor grad = add(grad_y, back_norm2(back_mlp(grad_y)));
        result.x = add(grad, back_norm1(back_attention(grad)));
    } else {
        const Tensor grad2 = back_norm2(grad_y);
        const Tensor grad1 = back_norm1(add(grad2, back_mlp(grad2)));
        result.x = add(grad1, back_attention(grad1));
    }
    return result;
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    demand(!blocks.empty(), "there must be a block");
    demand(x.rank() == 3 && grad_y.shape() == x.shape(), "x and grad_y must be (B, T, D)");
    std::vector<BlockGradients> grads(blocks.size());
    through(blocks, 0, x, grad_y, grads);
    return grads;
}

}  // namespace headway::ex14
