#include "block.hpp"

#include <cmath>
#include <initializer_list>
#include <stdexcept>

// By recursion: into the axes of tensors, into halves of sums, into the rest of a stack.
namespace headway::ex14 {
namespace {

void expect(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

void expect_shape(const Tensor& tensor, std::initializer_list<Index> sizes, const char* message) {
    expect(tensor.defined() && tensor.shape() == Shape(sizes), message);
}

void expect_alike(const Tensor& a, const Tensor& b) {
    expect(a.defined() && b.defined() && a.shape() == b.shape(), "shapes differ");
}

void expect_tokens(const Tensor& x) { expect(x.defined() && x.rank() == 3, "x is not (B, T, D)"); }

/// Σ of term(i), begin <= i < end.
template <class Term>
double sum_of(Index begin, Index end, const Term& term) {
    if (end - begin == 1) return static_cast<double>(term(begin));
    const Index middle = begin + (end - begin) / 2;
    return sum_of(begin, middle, term) + sum_of(middle, end, term);
}

/// Element by element.
template <class Function>
void map_into(const Tensor& x, Tensor y, const Function& function) {
    if (x.rank() == 0) {
        y() = static_cast<float>(function(static_cast<double>(x())));
        return;
    }
    for (Index i = 0; i < x.size(0); ++i) map_into(x[i], y[i], function);
}

/// Vector by vector, of two tensors at once.
template <class Visit>
void each_row(const Tensor& a, Tensor b, const Visit& visit) {
    if (a.rank() == 1) return visit(a, b);
    for (Index i = 0; i < a.size(0); ++i) each_row(a[i], b[i], visit);
}
template <class Visit>
void each_row(const Tensor& a, const Tensor& b, Tensor c, const Visit& visit) {
    if (a.rank() == 1) return visit(a, b, c);
    for (Index i = 0; i < a.size(0); ++i) each_row(a[i], b[i], c[i], visit);
}

struct Row {
    const Tensor& x;
    double middle = 0, root = 0;

    Row(const Tensor& features, double eps, bool centred) : x(features) {
        const Index D = x.size(0);
        const auto share = static_cast<double>(D);
        if (centred) middle = sum_of(0, D, [&](Index i) { return x(i); }) / share;
        root = std::sqrt(sum_of(0, D, [&](Index i) { return (x(i) - middle) * (x(i) - middle); }) / share + eps);
    }
    double operator()(Index i) const { return (x(i) - middle) / root; }
};

using Sums = std::vector<double>;

Tensor as_tensor(const Sums& sums, const Shape& shape) {
    return Tensor::of(shape, std::vector<float>(sums.begin(), sums.end()));
}

/// Gradient of x; adds to the sums of gain and bias.
Tensor back_through_norm(const Tensor& x, const Tensor& gain, double eps, bool centred, const Tensor& grad_y,
                         Sums& of_gain, Sums& of_bias) {
    Tensor grad_x = Tensor::empty(x.shape());
    each_row(x, grad_y, grad_x, [&](const Tensor& token, const Tensor& grad, Tensor& out) {
        const Row hat(token, eps, centred);
        const Index D = token.size(0);
        const auto g = [&](Index i) { return static_cast<double>(grad(i)) * gain(i); };
        const double shift = centred ? sum_of(0, D, g) / static_cast<double>(D) : 0.0;
        const double along = sum_of(0, D, [&](Index i) { return g(i) * hat(i); }) / static_cast<double>(D);
        for (Index i = 0; i < D; ++i) {
            out(i) = static_cast<float>((g(i) - shift - hat(i) * along) / hat.root);
            of_gain[static_cast<std::size_t>(i)] += grad(i) * hat(i);
            of_bias[static_cast<std::size_t>(i)] += grad(i);
        }
    });
    return grad_x;
}

constexpr double root_of_two = 1.41421356237309504880, root_of_pi = 1.77245385090551602730;

double inside(double x) { return root_of_two / root_of_pi * (x + 0.044715 * x * x * x); }
double inside_slope(double x) { return root_of_two / root_of_pi * (1 + 3 * 0.044715 * x * x); }
double share_below(double x) { return std::erfc(-x / root_of_two) / 2; }

double activate(double x, Gelu formula) {
    // Further out it is x or 0, and nothing can overflow.
    if (x > 3) return x;
    if (x < -3) return 0;
    return formula == Gelu::exact ? x * share_below(x) : x / 2 * (1 + std::tanh(inside(x)));
}

double activate_slope(double x, Gelu formula) {
    if (std::isinf(x)) return x > 0 ? 1 : 0;
    if (formula == Gelu::exact) return share_below(x) + x * std::exp(-x * x / 2) / (root_of_two * root_of_pi);
    const double t = std::tanh(inside(x));
    return (1 + t) / 2 + x / 2 * (1 - t * t) * inside_slope(x);
}

void expect_mlp(const MlpWeights& w, const Tensor& x) {
    expect_tokens(x);
    expect(w.w_in.defined() && w.w_in.rank() == 2, "w_in is not (D, F)");
    expect_shape(w.w_in, {x.size(2), w.w_in.size(1)}, "w_in is not (D, F)");
    expect_shape(w.b_in, {w.w_in.size(1)}, "b_in is not (F)");
    expect_shape(w.w_out, {w.w_in.size(1), x.size(2)}, "w_out is not (F, D)");
}

void expect_block(const Block& block, const Tensor& x) {
    expect_mlp(block.mlp, x);
    expect_shape(block.mlp.b_out, {x.size(2)}, "b_out is not (D)");
    for (const NormWeights& norm : {block.norm1, block.norm2}) {
        expect_shape(norm.gain, {x.size(2)}, "gain is not (D)");
        expect_shape(norm.bias, {x.size(2)}, "bias is not (D)");
    }
    expect(block.eps > 0, "eps is not above 0");
}

Sums before_gelu(const MlpWeights& w, const Tensor& token) {
    Sums a(static_cast<std::size_t>(w.b_in.size(0)));
    for (Index f = 0; f < w.b_in.size(0); ++f)
        a[static_cast<std::size_t>(f)] =
            w.b_in(f) + sum_of(0, token.size(0), [&](Index i) { return static_cast<double>(token(i)) * w.w_in(i, f); });
    return a;
}

Tensor normed(const NormWeights& weights, const Tensor& x, double eps) {
    return layer_norm(x, weights.gain, weights.bias, eps);
}

Tensor back(const NormWeights& weights, const Tensor& x, double eps, const Tensor& grad_y, NormWeights& grads) {
    const LayerNormGradients result = layer_norm_backward(x, weights.gain, eps, grad_y);
    grads.gain = result.gain;
    grads.bias = result.bias;
    return result.x;
}

Tensor together(const Tensor& a, const Tensor& b) {
    expect_alike(a, b);
    return a + b;
}

/// Fills grads[first] and all behind it. @return the gradient of input
Tensor rest_backward(const std::vector<Block>& blocks, std::size_t first, const Tensor& input, const Tensor& grad_y,
                     std::vector<BlockGradients>& grads) {
    const bool last = first + 1 == blocks.size();
    const Tensor grad =
        last ? grad_y : rest_backward(blocks, first + 1, block_forward(blocks[first], input), grad_y, grads);
    grads[first] = block_backward(blocks[first], input, grad);
    return grads[first].x;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    expect_tokens(x);
    expect_shape(gain, {x.size(2)}, "gain is not (D)");
    expect_shape(bias, {x.size(2)}, "bias is not (D)");
    expect(eps > 0, "eps is not above 0");
    Tensor y = Tensor::empty(x.shape());
    each_row(x, y, [&](const Tensor& token, Tensor& out) {
        const Row hat(token, eps, true);
        for (Index i = 0; i < token.size(0); ++i) out(i) = static_cast<float>(hat(i) * gain(i) + bias(i));
    });
    return y;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    expect_tokens(x);
    expect_shape(gain, {x.size(2)}, "gain is not (D)");
    expect(eps > 0, "eps is not above 0");
    Tensor y = Tensor::empty(x.shape());
    each_row(x, y, [&](const Tensor& token, Tensor& out) {
        const Row hat(token, eps, false);
        for (Index i = 0; i < token.size(0); ++i) out(i) = static_cast<float>(hat(i) * gain(i));
    });
    return y;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    expect_tokens(x);
    expect_shape(gain, {x.size(2)}, "gain is not (D)");
    expect_alike(x, grad_y);
    expect(eps > 0, "eps is not above 0");
    Sums of_gain(static_cast<std::size_t>(x.size(2))), of_bias = of_gain;
    const Tensor grad_x = back_through_norm(x, gain, eps, true, grad_y, of_gain, of_bias);
    return {grad_x, as_tensor(of_gain, gain.shape()), as_tensor(of_bias, gain.shape())};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    expect_tokens(x);
    expect_shape(gain, {x.size(2)}, "gain is not (D)");
    expect_alike(x, grad_y);
    expect(eps > 0, "eps is not above 0");
    Sums of_gain(static_cast<std::size_t>(x.size(2))), unused = of_gain;
    const Tensor grad_x = back_through_norm(x, gain, eps, false, grad_y, of_gain, unused);
    return {grad_x, as_tensor(of_gain, gain.shape())};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    expect(x.defined(), "x is undefined");
    Tensor y = Tensor::empty(x.shape());
    map_into(x, y, [formula](double value) { return activate(value, formula); });
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    expect_alike(x, grad_y);
    Tensor grad = Tensor::empty(x.shape());
    map_into(x, grad, [formula](double value) { return activate_slope(value, formula); });
    grad *= grad_y;
    return grad;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    expect_mlp(weights, x);
    expect_shape(weights.b_out, {x.size(2)}, "b_out is not (D)");
    Tensor y = Tensor::empty(x.shape());
    each_row(x, y, [&](const Tensor& token, Tensor& out) {
        Sums h = before_gelu(weights, token);
        for (double& value : h) value = activate(value, formula);
        for (Index i = 0; i < out.size(0); ++i)
            out(i) = static_cast<float>(weights.b_out(i) + sum_of(0, weights.b_in.size(0), [&](Index f) {
                                            return h[static_cast<std::size_t>(f)] * weights.w_out(f, i);
                                        }));
    });
    return y;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    expect_mlp(weights, x);
    expect_alike(x, grad_y);
    const Index D = x.size(2), F = weights.b_in.size(0);
    const auto at = [](Index i) { return static_cast<std::size_t>(i); };
    Sums w_in(at(D * F)), b_in(at(F)), w_out(at(F * D)), b_out(at(D));
    Tensor grad_x = Tensor::empty(x.shape());
    each_row(x, grad_y, grad_x, [&](const Tensor& token, const Tensor& grad, Tensor& out) {
        const Sums a = before_gelu(weights, token);
        Sums grad_a(a.size());
        for (Index f = 0; f < F; ++f) {
            const double grad_h =
                sum_of(0, D, [&](Index i) { return static_cast<double>(grad(i)) * weights.w_out(f, i); });
            grad_a[at(f)] = grad_h * activate_slope(a[at(f)], formula);
            b_in[at(f)] += grad_a[at(f)];
            for (Index i = 0; i < D; ++i) {
                w_in[at(i * F + f)] += token(i) * grad_a[at(f)];
                w_out[at(f * D + i)] += activate(a[at(f)], formula) * grad(i);
            }
        }
        for (Index i = 0; i < D; ++i) {
            b_out[at(i)] += grad(i);
            out(i) = static_cast<float>(sum_of(0, F, [&](Index f) { return grad_a[at(f)] * weights.w_in(i, f); }));
        }
    });
    return {grad_x, {as_tensor(w_in, {D, F}), as_tensor(b_in, {F}), as_tensor(w_out, {F, D}), as_tensor(b_out, {D})}};
}

Tensor block_forward(const Block& block, const Tensor& x) {
    expect_block(block, x);
    if (block.order == Order::pre_norm) {
        const Tensor y = together(x, block.attention.forward(normed(block.norm1, x, block.eps)));
        return y + mlp(block.mlp, normed(block.norm2, y, block.eps), block.gelu);
    }
    const Tensor y = normed(block.norm1, together(x, block.attention.forward(x)), block.eps);
    return normed(block.norm2, y + mlp(block.mlp, y, block.gelu), block.eps);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    expect_block(block, x);
    expect_alike(x, grad_y);
    BlockGradients grads;
    if (block.order == Order::pre_norm) {
        const Tensor seen = normed(block.norm1, x, block.eps);
        const Tensor y = together(x, block.attention.forward(seen));
        const MlpGradients thought = mlp_backward(block.mlp, normed(block.norm2, y, block.eps), grad_y, block.gelu);
        const Tensor grad_of_y = grad_y + back(block.norm2, y, block.eps, thought.x, grads.norm2);
        const Tensor grad_of_seen = block.attention.backward(seen, grad_of_y);
        expect_alike(grad_of_seen, x);
        grads.x = grad_of_y + back(block.norm1, x, block.eps, grad_of_seen, grads.norm1);
        grads.mlp = thought.weights;
    } else {
        const Tensor first = together(x, block.attention.forward(x));
        const Tensor y = normed(block.norm1, first, block.eps);
        const Tensor second = y + mlp(block.mlp, y, block.gelu);
        const Tensor grad_of_second = back(block.norm2, second, block.eps, grad_y, grads.norm2);
        const MlpGradients thought = mlp_backward(block.mlp, y, grad_of_second, block.gelu);
        const Tensor grad_of_first = back(block.norm1, first, block.eps, grad_of_second + thought.x, grads.norm1);
        grads.x = together(grad_of_first, block.attention.backward(x, grad_of_first));
        grads.mlp = thought.weights;
    }
    return grads;
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    expect(!blocks.empty(), "a stack needs a block");
    expect_tokens(x);
    expect_alike(x, grad_y);
    std::vector<BlockGradients> grads(blocks.size());
    rest_backward(blocks, 0, x, grad_y, grads);
    return grads;
}

}  // namespace headway::ex14
