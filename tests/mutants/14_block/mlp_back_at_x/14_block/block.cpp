#include "block.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace headway::ex14 {
namespace {

using Invalid = std::invalid_argument;
using Numbers = std::vector<double>;

/// A matrix of doubles, row by row: all tokens of all sequences, or a weight.
struct Matrix {
    Index rows = 0, columns = 0;
    Numbers at;

    Matrix(Index r, Index c) : rows(r), columns(c), at(static_cast<std::size_t>(r * c), 0.0) {}
    /// The last axis is a row.
    explicit Matrix(const Tensor& x) : Matrix(x.numel() / x.size(-1), x.size(-1)) {
        const Tensor dense = x.contiguous();
        std::copy(dense.data(), dense.data() + dense.numel(), at.begin());
    }
    double* row(Index r) { return at.data() + r * columns; }
    const double* row(Index r) const { return at.data() + r * columns; }
    Tensor as(const Shape& shape) const { return Tensor::of(shape, std::vector<float>(at.begin(), at.end())); }
};

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.columns);
    for (Index i = 0; i < a.rows; ++i)
        for (Index k = 0; k < a.columns; ++k)
            for (Index j = 0; j < b.columns; ++j) c.row(i)[j] += a.row(i)[k] * b.row(k)[j];
    return c;
}

Matrix transposed(const Matrix& a) {
    Matrix b(a.columns, a.rows);
    for (Index i = 0; i < a.rows; ++i)
        for (Index j = 0; j < a.columns; ++j) b.row(j)[i] = a.row(i)[j];
    return b;
}

Matrix column_sums(const Matrix& a) {
    Matrix sums(1, a.columns);
    for (Index i = 0; i < a.rows; ++i)
        std::transform(a.row(i), a.row(i) + a.columns, sums.row(0), sums.row(0), std::plus<>());
    return sums;
}

Matrix with_bias(Matrix a, const Tensor& bias) {
    for (Index i = 0; i < a.rows; ++i)
        for (Index j = 0; j < a.columns; ++j) a.row(i)[j] += bias(j);
    return a;
}

void check_same(const Tensor& x, const Tensor& y) {
    if (!x.defined() || !y.defined() || x.shape() != y.shape())
        throw Invalid("shapes differ: " + to_string(x.shape()) + " and " + to_string(y.shape()));
}

void check_vector(const Tensor& x, Index size) {
    if (x.rank() != 1 || x.size(0) != size)
        throw Invalid("a vector of another size is needed, not " + to_string(x.shape()));
}

void check_tokens(const Tensor& x) {
    if (x.rank() != 3) throw Invalid("x must be (B, T, D), not " + to_string(x.shape()));
}

void check_eps(double eps) {
    if (eps > 0) return;
    throw Invalid("eps must be above 0");
}

double dot(const double* a, const double* b, Index n) { return std::inner_product(a, a + n, b, 0.0); }

/// One row normed in place; returns what it was divided by.
double norm_row(double* row, Index n, double eps, bool centre) {
    const double width = static_cast<double>(n);
    if (centre) {
        const double mean = std::accumulate(row, row + n, 0.0) / width;
        std::for_each(row, row + n, [=](double& value) { value -= mean; });
    }
    const double s = std::sqrt(dot(row, row, n) / width + eps);
    std::for_each(row, row + n, [=](double& value) { value /= s; });
    return s;
}

struct NormBack {
    Matrix x, gain, bias;
};

NormBack norm_back(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y, bool centre) {
    Matrix hat(x);
    const Matrix dy(grad_y);
    const Index D = hat.columns;
    NormBack back{Matrix(hat.rows, D), Matrix(1, D), column_sums(dy)};
    Numbers g(static_cast<std::size_t>(D));
    for (Index r = 0; r < hat.rows; ++r) {
        const double s = norm_row(hat.row(r), D, eps, centre);
        for (Index i = 0; i < D; ++i) {
            g[static_cast<std::size_t>(i)] = dy.row(r)[i] * gain(i);
            back.gain.row(0)[i] += dy.row(r)[i] * hat.row(r)[i];
        }
        const double along = dot(g.data(), hat.row(r), D) / static_cast<double>(D);
        const double shift = centre ? std::accumulate(g.begin(), g.end(), 0.0) / static_cast<double>(D) : 0.0;
        for (Index i = 0; i < D; ++i)
            back.x.row(r)[i] = (g[static_cast<std::size_t>(i)] - shift - hat.row(r)[i] * along) / s;
    }
    return back;
}

/// Value and slope of GELU at one place.
struct Curve {
    double value, slope;
};

Curve curve(double x, Gelu formula) {
    const double pi = std::acos(-1.0);
    if (formula == Gelu::exact) {
        const double share = 0.5 * (1.0 + std::erf(x / std::sqrt(2.0)));
        const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * pi);
        return {x * share, share + x * density};
    }
    const double k = std::sqrt(2.0 / pi), c = 0.044715;
    const double t = std::tanh(k * (x + c * x * x * x));
    return {0.5 * x * (1.0 + t), 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * k * (1.0 + 3.0 * c * x * x)};
}

void check_mlp(const MlpWeights& weights, const Tensor& x) {
    check_tokens(x);
    const Tensor &in = weights.w_in, &out = weights.w_out;
    if (in.rank() != 2 || in.size(0) != x.size(2)) throw Invalid("w_in must be (D, F)");
    check_vector(weights.b_in, in.size(1));
    if (out.rank() != 2 || out.size(0) != in.size(1) || out.size(1) != in.size(0))
        throw Invalid("w_out must be (F, D)");
}

/// A sum that refuses to broadcast.
Tensor plus(const Tensor& a, const Tensor& b) {
    check_same(a, b);
    return a + b;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    check_tokens(x);
    check_vector(gain, x.size(2));
    check_vector(bias, x.size(2));
    check_eps(eps);
    Matrix rows(x);
    for (Index r = 0; r < rows.rows; ++r) {
        norm_row(rows.row(r), rows.columns, eps, true);
        for (Index i = 0; i < rows.columns; ++i) rows.row(r)[i] = rows.row(r)[i] * gain(i) + bias(i);
    }
    return rows.as(x.shape());
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_tokens(x);
    check_vector(gain, x.size(2));
    check_eps(eps);
    Matrix rows(x);
    for (Index r = 0; r < rows.rows; ++r) {
        norm_row(rows.row(r), rows.columns, eps, false);
        for (Index i = 0; i < rows.columns; ++i) rows.row(r)[i] *= gain(i);
    }
    return rows.as(x.shape());
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_tokens(x);
    check_vector(gain, x.size(2));
    check_same(x, grad_y);
    check_eps(eps);
    const NormBack back = norm_back(x, gain, eps, grad_y, true);
    return {back.x.as(x.shape()), back.gain.as(gain.shape()), back.bias.as(gain.shape())};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_tokens(x);
    check_vector(gain, x.size(2));
    check_same(x, grad_y);
    check_eps(eps);
    const NormBack back = norm_back(x, gain, eps, grad_y, false);
    return {back.x.as(x.shape()), back.gain.as(gain.shape())};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    for (float* at = y.data(); at != y.data() + y.numel(); ++at) *at = static_cast<float>(curve(*at, formula).value);
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_same(x, grad_y);
    Tensor grad_x = Tensor::empty(x.shape());
    grad_x.copy_from(x);
    const Tensor dy = grad_y.contiguous();
    for (Index i = 0; i < dy.numel(); ++i) {
        float& at = grad_x.data()[i];
        at = static_cast<float>(dy.data()[i] * curve(at, formula).slope);
    }
    return grad_x;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_mlp(weights, x);
    check_vector(weights.b_out, x.size(2));
    Matrix hidden = with_bias(product(Matrix(x), Matrix(weights.w_in)), weights.b_in);
    for (double& value : hidden.at) value = curve(value, formula).value;
    return with_bias(product(hidden, Matrix(weights.w_out)), weights.b_out).as(x.shape());
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_mlp(weights, x);
    check_same(x, grad_y);
    const Matrix rows(x), dy(grad_y), w_in(weights.w_in), w_out(weights.w_out);
    Matrix hidden = with_bias(product(rows, w_in), weights.b_in);
    Matrix grad_hidden = product(dy, transposed(w_out));
    for (std::size_t i = 0; i < hidden.at.size(); ++i) {
        const Curve here = curve(hidden.at[i], formula);
        grad_hidden.at[i] *= here.slope;
        hidden.at[i] = here.value;
    }
    MlpGradients grad;
    grad.x = product(grad_hidden, transposed(w_in)).as(x.shape());
    grad.weights.w_in = product(transposed(rows), grad_hidden).as(weights.w_in.shape());
    grad.weights.b_in = column_sums(grad_hidden).as(weights.b_in.shape());
    grad.weights.w_out = product(transposed(hidden), dy).as(weights.w_out.shape());
    grad.weights.b_out = column_sums(dy).as({x.size(2)});
    return grad;
}

Tensor block_forward(const Block& block, const Tensor& x) {
    check_tokens(x);
    const auto norm1 = [&](const Tensor& z) { return layer_norm(z, block.norm1.gain, block.norm1.bias, block.eps); };
    const auto norm2 = [&](const Tensor& z) { return layer_norm(z, block.norm2.gain, block.norm2.bias, block.eps); };
    const auto think = [&](const Tensor& z) { return mlp(block.mlp, z, block.gelu); };
    if (block.order == Order::post_norm) {
        const Tensor y = norm1(plus(x, block.attention.forward(x)));
        return norm2(plus(y, think(y)));
    }
    const Tensor y = plus(x, block.attention.forward(norm1(x)));
    return plus(y, think(norm2(y)));
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    check_tokens(x);
    check_same(x, grad_y);
    const auto norm1 = [&](const Tensor& z) { return layer_norm(z, block.norm1.gain, block.norm1.bias, block.eps); };
    const auto norm2 = [&](const Tensor& z) { return layer_norm(z, block.norm2.gain, block.norm2.bias, block.eps); };
    BlockGradients grad;
    const auto norm1_back = [&](const Tensor& z, const Tensor& g) {
        const auto back = layer_norm_backward(z, block.norm1.gain, block.eps, g);
        grad.norm1 = {back.gain, back.bias};
        return back.x;
    };
    const auto norm2_back = [&](const Tensor& z, const Tensor& g) {
        const auto back = layer_norm_backward(z, block.norm2.gain, block.eps, g);
        grad.norm2 = {back.gain, back.bias};
        return back.x;
    };
    const auto mlp_back = [&](const Tensor& z, const Tensor& g) {
        const auto back = mlp_backward(block.mlp, z, g, block.gelu);
        grad.mlp = back.weights;
        return back.x;
    };
    if (block.order == Order::post_norm) {
        const Tensor s = plus(x, block.attention.forward(x));
        const Tensor y = norm1(s);
        const Tensor g = norm2_back(plus(y, mlp(block.mlp, y, block.gelu)), grad_y);
        const Tensor h = norm1_back(s, plus(g, mlp_back(x, g)));
        grad.x = plus(h, block.attention.backward(x, h));
        return grad;
    }
    const Tensor n = norm1(x);
    const Tensor y = plus(x, block.attention.forward(n));
    const Tensor g = plus(grad_y, norm2_back(y, mlp_back(norm2(y), grad_y)));
    grad.x = plus(g, norm1_back(x, block.attention.backward(n, g)));
    return grad;
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    if (blocks.empty()) throw Invalid("stack_backward: there is no block");
    check_tokens(x);
    check_same(x, grad_y);
    std::vector<BlockGradients> grads(blocks.size());
    // Down the stack by recursion, and back up with the gradient.
    const std::function<Tensor(std::size_t, const Tensor&)> through = [&](std::size_t i, const Tensor& input) {
        const bool last = i + 1 == blocks.size();
        const Tensor grad_out = last ? grad_y : through(i + 1, block_forward(blocks[i], input));
        grads[i] = block_backward(blocks[i], input, grad_out);
        return grads[i].x;
    };
    through(0, x);
    return grads;
}

}  // namespace headway::ex14
