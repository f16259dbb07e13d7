#include "block.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex14 {
namespace {

[[noreturn]] void refuse(const char* why) { throw std::invalid_argument(why); }

/// Calls visit(b, t) for each token of (B, T, D).
template <class Visit>
void each_token(const Tensor& x, Visit visit) {
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t) visit(b, t);
}

template <class Term>
double total(Index count, Term term) {
    double result = 0;
    for (Index i = 0; i < count; ++i) result += term(i);
    return result;
}

/// Σ over all tokens of term(b, t).
template <class Term>
float over_tokens(const Tensor& x, Term term) {
    double result = 0;
    each_token(x, [&](Index b, Index t) { result += term(b, t); });
    return static_cast<float>(result);
}

/// One token in its normed form, computed when it is asked for.
class NormedToken {
public:
    NormedToken(const Tensor& x, Index b, Index t, double eps, bool subtract_mean) : x_(x), b_(b), t_(t) {
        const Index D = x.size(2);
        if (subtract_mean) mean_ = total(D, [&](Index i) { return x_(b_, t_, i); }) / static_cast<double>(D);
        const double spread = total(D, [&](Index i) { return apart(i) * apart(i); }) / static_cast<double>(D);
        root_ = std::sqrt(spread + eps);
    }
    double apart(Index i) const { return x_(b_, t_, i) - mean_; }
    double hat(Index i) const { return apart(i) / root_; }
    double root() const { return root_; }

private:
    const Tensor& x_;
    Index b_, t_;
    double mean_ = 0, root_ = 1;
};

void check_tokens(const Tensor& x) {
    if (!x.defined() || x.rank() != 3) refuse("x is not (B, T, D)");
}

void check_vector(const Tensor& vector, Index size) {
    if (!vector.defined() || vector.rank() != 1 || vector.size(0) != size) refuse("a vector of another size");
}

void check_matrix(const Tensor& matrix, Index rows, Index columns) {
    if (!matrix.defined() || matrix.rank() != 2 || matrix.size(0) != rows || matrix.size(1) != columns)
        refuse("a matrix of another size");
}

void check_same(const Tensor& a, const Tensor& b) {
    if (!a.defined() || !b.defined() || a.shape() != b.shape()) refuse("two shapes that should be the same");
}

void check_eps(double eps) {
    if (!(eps > 0)) refuse("eps is not above 0");
}

void check_mlp(const MlpWeights& w, const Tensor& x) {
    check_tokens(x);
    if (!w.b_in.defined() || w.b_in.rank() != 1) refuse("b_in is not (F)");
    check_matrix(w.w_in, x.size(2), w.b_in.size(0));
    check_matrix(w.w_out, w.b_in.size(0), x.size(2));
}

void check_block(const Block& block, const Tensor& x) {
    check_mlp(block.mlp, x);
    check_vector(block.mlp.b_out, x.size(2));
    for (const NormWeights* norm : {&block.norm1, &block.norm2}) {
        check_vector(norm->gain, x.size(2));
        check_vector(norm->bias, x.size(2));
    }
    check_eps(block.eps);
}

double normal_below(double x) { return std::erfc(-x * std::sqrt(0.5)) / 2; }
double normal_at(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }

struct TanhPart {
    double t, derivative;
    explicit TanhPart(double x) {
        const double scale = std::sqrt(2 / std::acos(-1.0));
        t = std::tanh(scale * (x + 0.044715 * x * x * x));
        derivative = (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x);
    }
};

double gelu_of(double x, Gelu formula) {
    if (std::isinf(x)) return x > 0 ? x : 0;
    switch (formula) {
        case Gelu::exact:
            return x * normal_below(x);
        case Gelu::tanh:
            break;
    }
    return x / 2 * (1 + TanhPart(x).t);
}

double gelu_slope(double x, Gelu formula) {
    if (std::isinf(x)) return x > 0 ? 1 : 0;
    switch (formula) {
        case Gelu::exact:
            return normal_below(x) + x * normal_at(x);
        case Gelu::tanh:
            break;
    }
    const TanhPart part(x);
    return (1 + part.t) / 2 + x / 2 * part.derivative;
}

/// x·w_in + b_in, (B, T, F).
Tensor hidden(const MlpWeights& w, const Tensor& x) {
    const Index D = x.size(2), F = w.w_in.size(1);
    Tensor a = Tensor::empty({x.size(0), x.size(1), F});
    each_token(x, [&](Index b, Index t) {
        for (Index f = 0; f < F; ++f)
            a(b, t, f) = static_cast<float>(
                w.b_in(f) + total(D, [&](Index i) { return static_cast<double>(x(b, t, i)) * w.w_in(i, f); }));
    });
    return a;
}

Tensor attended(const Block& block, const Tensor& x) {
    Tensor y = block.attention.forward(x);
    check_same(x, y);
    return y;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    check_tokens(x);
    check_vector(gain, x.size(2));
    check_vector(bias, x.size(2));
    check_eps(eps);
    Tensor y = Tensor::empty(x.shape());
    each_token(x, [&](Index b, Index t) {
        const NormedToken token(x, b, t, eps, true);
        for (Index i = 0; i < x.size(2); ++i) y(b, t, i) = static_cast<float>(token.hat(i) * gain(i) + bias(i));
    });
    return y;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_tokens(x);
    check_vector(gain, x.size(2));
    check_eps(eps);
    Tensor y = Tensor::empty(x.shape());
    each_token(x, [&](Index b, Index t) {
        const NormedToken token(x, b, t, eps, false);
        for (Index i = 0; i < x.size(2); ++i) y(b, t, i) = static_cast<float>(token.hat(i) * gain(i));
    });
    return y;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_tokens(x);
    check_vector(gain, x.size(2));
    check_same(x, grad_y);
    check_eps(eps);
    const Index D = x.size(2);
    LayerNormGradients grads{Tensor::empty(x.shape()), Tensor::empty({D}), Tensor::empty({D})};
    std::vector<double> of_gain(static_cast<std::size_t>(D)), of_bias = of_gain;
    each_token(x, [&](Index b, Index t) {
        const NormedToken token(x, b, t, eps, true);
        const auto g = [&](Index i) { return static_cast<double>(grad_y(b, t, i)) * gain(i); };
        const double shift = total(D, g) / static_cast<double>(D);
        const double along = total(D, [&](Index i) { return g(i) * token.hat(i); }) / static_cast<double>(D);
        for (Index i = 0; i < D; ++i) {
            grads.x(b, t, i) = static_cast<float>((g(i) - shift - token.hat(i) * along) / token.root());
            of_gain[static_cast<std::size_t>(i)] += grad_y(b, t, i) * token.hat(i);
            of_bias[static_cast<std::size_t>(i)] += grad_y(b, t, i);
        }
    });
    for (Index i = 0; i < D; ++i) {
        grads.gain(i) = static_cast<float>(of_gain[static_cast<std::size_t>(i)]);
        grads.bias(i) = static_cast<float>(of_bias[static_cast<std::size_t>(i)]);
    }
    return grads;
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_tokens(x);
    check_vector(gain, x.size(2));
    check_same(x, grad_y);
    check_eps(eps);
    const Index D = x.size(2);
    RmsNormGradients grads{Tensor::empty(x.shape()), Tensor::empty({D})};
    std::vector<double> of_gain(static_cast<std::size_t>(D));
    each_token(x, [&](Index b, Index t) {
        const NormedToken token(x, b, t, eps, false);
        const auto g = [&](Index i) { return static_cast<double>(grad_y(b, t, i)) * gain(i); };
        const double along = total(D, [&](Index i) { return g(i) * token.hat(i); }) / static_cast<double>(D);
        for (Index i = 0; i < D; ++i) {
            grads.x(b, t, i) = static_cast<float>((g(i) - token.hat(i) * along) / token.root());
            of_gain[static_cast<std::size_t>(i)] += grad_y(b, t, i) * token.hat(i);
        }
    });
    for (Index i = 0; i < D; ++i) grads.gain(i) = static_cast<float>(of_gain[static_cast<std::size_t>(i)]);
    return grads;
}

Tensor gelu(const Tensor& x, Gelu formula) {
    if (!x.defined()) refuse("x is undefined");
    const Tensor from = x.contiguous();
    Tensor to = Tensor::empty(x.shape());
    for (Index i = 0; i < from.numel(); ++i) to.data()[i] = static_cast<float>(gelu_of(from.data()[i], formula));
    return to;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_same(x, grad_y);
    const Tensor from = x.contiguous(), grad = grad_y.contiguous();
    Tensor to = Tensor::empty(x.shape());
    for (Index i = 0; i < from.numel(); ++i)
        to.data()[i] = static_cast<float>(grad.data()[i] * gelu_slope(from.data()[i], formula));
    return to;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_mlp(weights, x);
    check_vector(weights.b_out, x.size(2));
    const Tensor h = gelu(hidden(weights, x), formula);
    Tensor y = Tensor::empty(x.shape());
    each_token(x, [&](Index b, Index t) {
        for (Index i = 0; i < x.size(2); ++i)
            y(b, t, i) = static_cast<float>(weights.b_out(i) + total(h.size(2), [&](Index f) {
                                                return static_cast<double>(h(b, t, f)) * weights.w_out(f, i);
                                            }));
    });
    return y;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_mlp(weights, x);
    check_same(x, grad_y);
    const Index D = x.size(2), F = weights.b_in.size(0);
    const Tensor a = hidden(weights, x), h = gelu(a, formula);
    Tensor grad_h = Tensor::empty(a.shape());
    each_token(x, [&](Index b, Index t) {
        for (Index f = 0; f < F; ++f)
            grad_h(b, t, f) = static_cast<float>(
                total(D, [&](Index i) { return static_cast<double>(grad_y(b, t, i)) * weights.w_out(f, i); }));
    });
    const Tensor grad_a = gelu_backward(a, grad_h, formula);
    MlpGradients grads{Tensor::empty(x.shape()),
                       {Tensor::empty({D, F}), Tensor::empty({F}), Tensor::empty({F, D}), Tensor::empty({D})}};
    each_token(x, [&](Index b, Index t) {
        for (Index i = 0; i < D; ++i)
            grads.x(b, t, i) = static_cast<float>(
                total(F, [&](Index f) { return static_cast<double>(grad_a(b, t, f)) * weights.w_in(i, f); }));
    });
    for (Index f = 0; f < F; ++f) {
        grads.weights.b_in(f) = over_tokens(x, [&](Index b, Index t) { return grad_a(b, t, f); });
        for (Index i = 0; i < D; ++i) {
            grads.weights.w_in(i, f) =
                over_tokens(x, [&](Index b, Index t) { return static_cast<double>(x(b, t, i)) * grad_a(b, t, f); });
            grads.weights.w_out(f, i) =
                over_tokens(x, [&](Index b, Index t) { return static_cast<double>(h(b, t, f)) * grad_y(b, t, i); });
        }
    }
    for (Index i = 0; i < D; ++i)
        grads.weights.b_out(i) = over_tokens(x, [&](Index b, Index t) { return grad_y(b, t, i); });
    return grads;
}

namespace {

/// What a block computes on its way forward, for the way back.
struct Steps {
    Tensor x, seen, before1, y, thought_of, before2, out;
};

Steps steps_of(const Block& block, const Tensor& x) {
    check_block(block, x);
    const bool pre = block.order == Order::pre_norm;
    const auto norm1 = [&](const Tensor& at) { return layer_norm(at, block.norm1.gain, block.norm1.bias, block.eps); };
    const auto norm2 = [&](const Tensor& at) { return layer_norm(at, block.norm2.gain, block.norm2.bias, block.eps); };
    Steps steps;
    steps.x = x;
    steps.seen = pre ? norm1(x) : x;
    steps.before1 = x + attended(block, steps.seen);
    steps.y = pre ? steps.before1 : norm1(steps.before1);
    steps.thought_of = pre ? norm2(steps.y) : steps.y;
    steps.before2 = steps.y + mlp(block.mlp, steps.thought_of, block.gelu);
    steps.out = pre ? steps.before2 : norm2(steps.before2);
    return steps;
}

BlockGradients back_through(const Block& block, const Steps& steps, const Tensor& grad_y) {
    const bool pre = block.order == Order::pre_norm;
    BlockGradients grads;
    const auto through_norm = [&](const NormWeights& norm, const Tensor& at, const Tensor& grad, NormWeights& to) {
        const auto back = layer_norm_backward(at, norm.gain, block.eps, grad);
        to = {back.gain, back.bias};
        return back.x;
    };
    const Tensor to2 = pre ? grad_y : through_norm(block.norm2, steps.before2, grad_y, grads.norm2);
    const auto thought = mlp_backward(block.mlp, steps.thought_of, to2, block.gelu);
    grads.mlp = thought.weights;
    const Tensor past = pre ? through_norm(block.norm2, steps.y, thought.x, grads.norm2) : thought.x;
    const Tensor to_y = to2 + past;
    const Tensor to1 = pre ? to_y : through_norm(block.norm1, steps.before1, to_y, grads.norm1);
    const Tensor to_seen = block.attention.backward(steps.seen, to1);
    check_same(steps.x, to_seen);
    grads.x = to1 + (pre ? through_norm(block.norm1, steps.x, to_seen, grads.norm1) : to_seen);
    return grads;
}

}  // namespace

Tensor block_forward(const Block& block, const Tensor& x) { return steps_of(block, x).out; }

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    check_same(x, grad_y);
    return back_through(block, steps_of(block, x), grad_y);
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    if (blocks.empty()) refuse("no block");
    check_tokens(x);
    check_same(x, grad_y);
    std::vector<Steps> all;
    for (const Block& block : blocks) all.push_back(steps_of(block, all.empty() ? x : all.back().out));
    std::vector<BlockGradients> grads(blocks.size());
    for (std::size_t i = blocks.size(); i > 0; --i)
        grads[i - 1] = back_through(blocks[i - 1], all[i - 1], i == blocks.size() ? grad_y : grads[i].x);
    return grads;
}

}  // namespace headway::ex14
