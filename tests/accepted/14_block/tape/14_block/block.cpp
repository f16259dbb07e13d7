// A tape: each step on the way forward writes down how to go back through it, and the way back plays the tape
// backwards.
#include "block.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>

namespace headway::ex14 {
namespace {

/// A tensor on the tape, and its gradient so far.
struct Node {
    Tensor value, grad;
    explicit Node(const Tensor& x) : value(x), grad(Tensor::zeros(x.shape())) {}
};
using Var = std::shared_ptr<Node>;

class Tape {
public:
    Var leaf(const Tensor& x) { return std::make_shared<Node>(x); }

    /// The result of a step; `back` gets the gradient of the result.
    Var step(const Tensor& result, std::function<void(const Tensor&)> back) {
        const Var node = leaf(result);
        steps_.emplace_back([node, back = std::move(back)] { back(node->grad); });
        return node;
    }

    void play_backwards(const Var& from, const Tensor& grad) {
        from->grad = grad;
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) (*step)();
    }

private:
    std::vector<std::function<void()>> steps_;
};

void needs(bool fits, const std::string& what) {
    if (!fits) throw std::invalid_argument("this does not fit: " + what);
}

void needs_tokens(const Tensor& x, const Tensor& grad_y) {
    needs(x.rank() == 3, "x must be (B, T, D)");
    needs(grad_y.shape() == x.shape(), "grad_y must have the shape of x");
}

/// (B, T, D) -> (D)
Tensor all_tokens(const Tensor& x) { return sum(sum(x, 0), 0); }

Var plus(Tape& tape, const Var& a, const Var& b) {
    return tape.step(a->value + b->value, [=](const Tensor& grad) {
        a->grad = a->grad + grad;
        b->grad = b->grad + grad;
    });
}

/// b has the last axis alone.
Var plus_vector(Tape& tape, const Var& a, const Var& b) {
    return tape.step(a->value + b->value, [=](const Tensor& grad) {
        a->grad = a->grad + grad;
        b->grad = b->grad + all_tokens(grad);
    });
}

Var times_vector(Tape& tape, const Var& a, const Var& b) {
    return tape.step(a->value * b->value, [=](const Tensor& grad) {
        a->grad = a->grad + grad * b->value;
        b->grad = b->grad + all_tokens(grad * a->value);
    });
}

Var minus_mean(Tape& tape, const Var& x) {
    return tape.step(x->value - mean(x->value, -1, KeepAxis::yes),
                     [=](const Tensor& grad) { x->grad = x->grad + grad - mean(grad, -1, KeepAxis::yes); });
}

/// x · (mean of x² + eps)^(-1/2)
Var to_unit_size(Tape& tape, const Var& x, double eps) {
    const Tensor size = sqrt(mean(x->value * x->value, -1, KeepAxis::yes) + static_cast<float>(eps));
    return tape.step(x->value / size, [=](const Tensor& grad) {
        // Of x / size by x, and by size, which is x / (D · size) times x again.
        const Tensor by_size = mean(grad * x->value, -1, KeepAxis::yes) / (size * size * size);
        x->grad = x->grad + grad / size - x->value * by_size;
    });
}

Var times_matrix(Tape& tape, const Var& x, const Var& w) {
    return tape.step(matmul(x->value, w->value), [=](const Tensor& grad) {
        x->grad = x->grad + matmul(grad, w->value.transpose(0, 1));
        w->grad = w->grad + sum(matmul(x->value.transpose(1, 2), grad), 0);
    });
}

Var bent(Tape& tape, const Var& x, Gelu formula) {
    return tape.step(gelu(x->value, formula),
                     [=](const Tensor& grad) { x->grad = x->grad + gelu_backward(x->value, grad, formula); });
}

Var asked(Tape& tape, const Sublayer& sublayer, const Var& x) {
    return tape.step(sublayer.forward(x->value),
                     [=](const Tensor& grad) { x->grad = x->grad + sublayer.backward(x->value, grad); });
}

struct NormVars {
    Var gain, bias;
};

NormVars norm_vars(Tape& tape, const NormWeights& norm, Index D) {
    needs(norm.gain.shape() == Shape{D} && norm.bias.shape() == Shape{D}, "a norm is as wide as x");
    return {tape.leaf(norm.gain), tape.leaf(norm.bias)};
}

Var norm_of(Tape& tape, const Var& x, const NormVars& norm, double eps) {
    needs(eps > 0, "eps must be above 0");
    const Var hat = to_unit_size(tape, minus_mean(tape, x), eps);
    return plus_vector(tape, times_vector(tape, hat, norm.gain), norm.bias);
}

struct MlpVars {
    Var w_in, b_in, w_out, b_out;
    MlpWeights gradients() const { return {w_in->grad, b_in->grad, w_out->grad, b_out->grad}; }
};

MlpVars mlp_vars(Tape& tape, const MlpWeights& w, Index D) {
    needs(w.w_in.rank() == 2, "w_in must be a matrix");
    const Index F = w.w_in.size(1);
    needs(w.w_in.shape() == Shape{D, F} && w.w_out.shape() == Shape{F, D}, "w_in is (D, F) and w_out (F, D)");
    needs(w.b_in.shape() == Shape{F} && w.b_out.shape() == Shape{D}, "b_in is (F) and b_out (D)");
    return {tape.leaf(w.w_in), tape.leaf(w.b_in), tape.leaf(w.w_out), tape.leaf(w.b_out)};
}

Var mlp_of(Tape& tape, const Var& x, const MlpVars& w, Gelu formula) {
    const Var hidden = bent(tape, plus_vector(tape, times_matrix(tape, x, w.w_in), w.b_in), formula);
    return plus_vector(tape, times_matrix(tape, hidden, w.w_out), w.b_out);
}

/// A block on a tape.
struct Written {
    Tape tape;
    Var x, y;
    NormVars norm1, norm2;
    MlpVars mlp;

    Written(const Block& block, const Tensor& input) {
        needs(input.rank() == 3, "x must be (B, T, D)");
        const Index D = input.size(2);
        x = tape.leaf(input);
        norm1 = norm_vars(tape, block.norm1, D);
        norm2 = norm_vars(tape, block.norm2, D);
        mlp = mlp_vars(tape, block.mlp, D);
        const auto n1 = [&](const Var& some) { return norm_of(tape, some, norm1, block.eps); };
        const auto n2 = [&](const Var& some) { return norm_of(tape, some, norm2, block.eps); };
        const auto attend = [&](const Var& some) { return asked(tape, block.attention, some); };
        const auto think = [&](const Var& some) { return mlp_of(tape, some, mlp, block.gelu); };
        switch (block.order) {
            case Order::pre_norm: {
                const Var middle = plus(tape, x, attend(n1(x)));
                y = plus(tape, middle, think(n2(middle)));
                break;
            }
            case Order::post_norm: {
                const Var middle = n1(plus(tape, x, attend(x)));
                y = n2(plus(tape, middle, think(middle)));
                break;
            }
        }
    }
};

double phi(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }
double big_phi(double x) { return (1 + std::erf(x / M_SQRT2)) / 2; }

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    needs_tokens(x, x);
    Tape tape;
    return norm_of(tape, tape.leaf(x), norm_vars(tape, {gain, bias}, x.size(2)), eps)->value;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    needs_tokens(x, x);
    needs(gain.shape() == Shape{x.size(2)}, "the gain is as wide as x");
    needs(eps > 0, "eps must be above 0");
    Tape tape;
    return to_unit_size(tape, tape.leaf(x), eps)->value * gain;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    needs_tokens(x, grad_y);
    Tape tape;
    const Var leaf = tape.leaf(x);
    const NormVars norm = norm_vars(tape, {gain, Tensor::zeros({x.size(2)})}, x.size(2));
    tape.play_backwards(norm_of(tape, leaf, norm, eps), grad_y);
    return {leaf->grad, norm.gain->grad, norm.bias->grad};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    needs_tokens(x, grad_y);
    needs(gain.shape() == Shape{x.size(2)}, "the gain is as wide as x");
    needs(eps > 0, "eps must be above 0");
    Tape tape;
    const Var leaf = tape.leaf(x), factor = tape.leaf(gain);
    tape.play_backwards(times_vector(tape, to_unit_size(tape, leaf, eps), factor), grad_y);
    return {leaf->grad, factor->grad};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    for (float* at = y.data(); at != y.data() + y.numel(); ++at) {
        const double u = static_cast<double>(*at);
        const double share =
            formula == Gelu::exact ? big_phi(u) : 0.5 + 0.5 * std::tanh(std::sqrt(M_2_PI) * (u + 0.044715 * u * u * u));
        *at = static_cast<float>(u * share);
    }
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    needs(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    for (float* at = y.data(); at != y.data() + y.numel(); ++at) {
        const double u = static_cast<double>(*at);
        const double k = std::sqrt(M_2_PI), t = std::tanh(k * (u + 0.044715 * u * u * u));
        const double by_tanh = 0.5 + 0.5 * t + 0.5 * u * (1 - t) * (1 + t) * k * (1 + 3 * 0.044715 * u * u);
        *at = static_cast<float>(formula == Gelu::exact ? big_phi(u) + u * phi(u) : by_tanh);
    }
    y *= grad_y;
    return y;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    needs_tokens(x, x);
    Tape tape;
    return mlp_of(tape, tape.leaf(x), mlp_vars(tape, weights, x.size(2)), formula)->value;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    needs_tokens(x, grad_y);
    Tape tape;
    const Var leaf = tape.leaf(x);
    const MlpVars vars = mlp_vars(tape, weights, x.size(2));
    tape.play_backwards(mlp_of(tape, leaf, vars, formula), grad_y);
    return {leaf->grad, vars.gradients()};
}

Tensor block_forward(const Block& block, const Tensor& x) { return Written(block, x).y->value; }

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    needs_tokens(x, grad_y);
    Written written(block, x);
    written.tape.play_backwards(written.y, grad_y);
    return {written.x->grad,
            {written.norm1.gain->grad, written.norm1.bias->grad},
            {written.norm2.gain->grad, written.norm2.bias->grad},
            written.mlp.gradients()};
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    needs(!blocks.empty(), "a stack of no blocks");
    needs_tokens(x, grad_y);
    std::vector<Tensor> checkpoints{x};
    for (const Block& block : blocks) checkpoints.push_back(block_forward(block, checkpoints.back()));
    std::vector<BlockGradients> result;
    for (std::size_t left = blocks.size(); left > 0; --left) {
        const Tensor& grad = result.empty() ? grad_y : result.front().x;
        result.insert(result.begin(), block_backward(blocks[left - 1], checkpoints[left - 1], grad));
    }
    return result;
}

}  // namespace headway::ex14
