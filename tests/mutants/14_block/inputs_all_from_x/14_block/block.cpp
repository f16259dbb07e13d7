#include "block.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

// A tape, as a framework has it: each operation notes how its gradient goes back. Every backward function runs a tape.
namespace headway::ex14 {
namespace {

void same(const Tensor& t, const Shape& shape) {
    if (!t.defined() || t.shape() != shape)
        throw std::invalid_argument("a tensor is " + to_string(t.shape()) + " instead of " + to_string(shape));
}

Index width(const Tensor& x) {
    if (!x.defined() || x.rank() != 3) throw std::invalid_argument("x is " + to_string(x.shape()));
    return x.size(2);
}

void positive(double eps) {
    if (eps > 0) return;
    throw std::invalid_argument("eps is not above 0");
}

struct Node {
    Tensor value, grad;
    void receive(const Tensor& g) { grad = grad.defined() ? grad + g : g; }
};
using Var = std::shared_ptr<Node>;

Var var(const Tensor& value) { return std::make_shared<Node>(Node{value, {}}); }

using Doubles = std::vector<double>;
double& at(Doubles& v, Index i) { return v[static_cast<std::size_t>(i)]; }
Doubles zeros(Index n) { return Doubles(static_cast<std::size_t>(n)); }
Tensor vector(const Doubles& v) {
    return Tensor::of({static_cast<Index>(v.size())}, std::vector<float>(v.begin(), v.end()));
}
Tensor rows_of(const Tensor& x) { return x.contiguous().view({-1, x.size(-1)}); }

/// (M, K) · (K, N) with sums in double
Tensor product(const Tensor& a, const Tensor& b) {
    Tensor c = Tensor::zeros({a.size(0), b.size(1)});
    for (Index m = 0; m < a.size(0); ++m) {
        Doubles row = zeros(b.size(1));
        for (Index k = 0; k < a.size(1); ++k)
            for (Index n = 0; n < b.size(1); ++n) at(row, n) += double{a(m, k)} * b(k, n);
        c[m].copy_from(vector(row));
    }
    return c;
}

Tensor column_sums(const Tensor& rows) { return product(Tensor::ones({1, rows.size(0)}), rows)[0]; }

class Tape {
public:
    Var norm(const Var& x, const Var& gain, const Var& bias, double eps, bool shifts) {
        positive(eps);
        const Index D = width(x->value);
        same(gain->value, {D});
        if (bias) same(bias->value, {D});
        const Tensor rows = rows_of(x->value);
        Tensor y = Tensor::zeros(rows.shape());
        for (Index n = 0; n < rows.size(0); ++n) {
            double root = 0;
            const Doubles hat = hats(rows[n], eps, shifts, root);
            for (Index i = 0; i < D; ++i)
                y(n, i) = static_cast<float>(hat[static_cast<std::size_t>(i)] * gain->value(i) +
                                             (bias ? bias->value(i) : 0.0F));
        }
        return note(y.view(x->value.shape()), [=](const Tensor& grad_y) {
            const Tensor dy = rows_of(grad_y);
            Tensor dx = Tensor::zeros(rows.shape());
            Doubles dgain = zeros(D), dbias = zeros(D);
            for (Index n = 0; n < rows.size(0); ++n) {
                double root = 0;
                Doubles hat = hats(rows[n], eps, shifts, root);
                for (Index i = 0; i < D; ++i) {
                    at(dgain, i) += dy(n, i) * at(hat, i);
                    at(dbias, i) += dy(n, i);
                    double sum = 0;
                    for (Index j = 0; j < D; ++j) {  // the Jacobian of hat by x, which is symmetric
                        const double one = (i == j ? 1.0 : 0.0);
                        const double means = ((shifts ? 1.0 : 0.0) + at(hat, i) * at(hat, j)) / static_cast<double>(D);
                        sum += (one - means) / root * (double{dy(n, j)} * gain->value(j));
                    }
                    dx(n, i) = static_cast<float>(sum);
                }
            }
            x->receive(dx.view(x->value.shape()));
            gain->receive(vector(dgain));
            if (bias) bias->receive(vector(dbias));
        });
    }

    /// x·w + b
    Var linear(const Var& x, const Var& w, const Var& b) {
        const Tensor rows = rows_of(x->value);
        Shape shape = x->value.shape();
        shape.back() = w->value.size(1);
        return note((product(rows, w->value) + b->value).view(shape), [=](const Tensor& grad_y) {
            const Tensor dy = rows_of(grad_y);
            x->receive(product(dy, w->value.transpose(0, 1)).view(x->value.shape()));
            w->receive(product(rows.transpose(0, 1), dy));
            b->receive(column_sums(dy));
        });
    }

    Var curve(const Var& x, Gelu formula) {
        return note(gelu(x->value, formula),
                    [=](const Tensor& grad_y) { x->receive(gelu_backward(x->value, grad_y, formula)); });
    }

    Var add(const Var& a, const Var& b) {
        return note(a->value + b->value, [=](const Tensor& grad_y) {
            a->receive(grad_y);
            b->receive(grad_y);
        });
    }

    Var opaque(const Sublayer& layer, const Var& x) {
        const Tensor y = layer.forward(x->value);
        same(y, x->value.shape());
        return note(y, [=, &layer](const Tensor& grad_y) {
            const Tensor grad_x = layer.backward(x->value, grad_y);
            same(grad_x, x->value.shape());
            x->receive(grad_x);
        });
    }

    void back(const Var& result, const Tensor& grad) {
        same(grad, result->value.shape());
        result->receive(grad);
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) (*step)();
        steps_.clear();
    }

private:
    static Doubles hats(const Tensor& token, double eps, bool shifts, double& root) {
        const double D = static_cast<double>(token.size(0));
        double mean = 0, power = 0;
        for (Index i = 0; shifts && i < token.size(0); ++i) mean += token(i);
        mean /= D;
        Doubles hat = zeros(token.size(0));
        for (Index i = 0; i < token.size(0); ++i) {
            at(hat, i) = token(i) - mean;
            power += at(hat, i) * at(hat, i) / D;
        }
        root = std::sqrt(power + eps);
        for (double& h : hat) h /= root;
        return hat;
    }

    template <class Step>
    Var note(const Tensor& value, const Step& step) {
        Var result = var(value);
        steps_.push_back([result, step] { step(result->grad); });
        return result;
    }

    std::vector<std::function<void()>> steps_;
};

struct MlpVars {
    Var w_in, b_in, w_out, b_out;
    MlpVars(const MlpWeights& w, Index D)
        : w_in(var(w.w_in)), b_in(var(w.b_in)), w_out(var(w.w_out)), b_out(var(w.b_out)) {
        if (!w.w_in.defined() || w.w_in.rank() != 2) throw std::invalid_argument("w_in is not a matrix");
        const Index F = w.w_in.size(1);
        same(w.w_in, {D, F});
        same(w.b_in, {F});
        same(w.w_out, {F, D});
        same(w.b_out, {D});
    }
    Var apply(Tape& tape, const Var& x, Gelu formula) const {
        return tape.linear(tape.curve(tape.linear(x, w_in, b_in), formula), w_out, b_out);
    }
    MlpWeights grads() const { return {w_in->grad, b_in->grad, w_out->grad, b_out->grad}; }
};

struct BlockRun {
    Tape tape;
    Var x, gain1, bias1, gain2, bias2, out;
    MlpVars of_mlp;

    BlockRun(const Block& block, const Tensor& in)
        : x(var(in)),
          gain1(var(block.norm1.gain)),
          bias1(var(block.norm1.bias)),
          gain2(var(block.norm2.gain)),
          bias2(var(block.norm2.bias)),
          of_mlp(block.mlp, width(in)) {
        positive(block.eps);
        for (const Var& weight : {gain1, bias1, gain2, bias2}) same(weight->value, {width(in)});
        const auto norm1 = [&](const Var& v) { return tape.norm(v, gain1, bias1, block.eps, true); };
        const auto norm2 = [&](const Var& v) { return tape.norm(v, gain2, bias2, block.eps, true); };
        const auto think = [&](const Var& v) { return of_mlp.apply(tape, v, block.gelu); };
        if (block.order == Order::pre_norm) {
            const Var y = tape.add(x, tape.opaque(block.attention, norm1(x)));
            out = tape.add(y, think(norm2(y)));
        } else {
            const Var y = norm1(tape.add(x, tape.opaque(block.attention, x)));
            out = norm2(tape.add(y, think(y)));
        }
    }
};

struct Phi {
    double value, slope;
};

/// What gelu multiplies x by, and its derivative.
Phi phi(double x, Gelu formula) {
    constexpr double pi = 3.141592653589793238;
    if (formula == Gelu::exact) return {std::erfc(-x / std::sqrt(2.0)) / 2, std::exp(-x * x / 2) / std::sqrt(2 * pi)};
    const double u = std::sqrt(2 / pi) * std::fma(0.044715 * x * x, x, x), e = 1 / std::cosh(u);
    return {(1 + std::tanh(u)) / 2, e * e / 2 * std::sqrt(2 / pi) * (1 + 3 * 0.044715 * x * x)};
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    return Tape().norm(var(x), var(gain), var(bias), eps, true)->value;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    return Tape().norm(var(x), var(gain), nullptr, eps, false)->value;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    Tape tape;
    const Var in = var(x), by = var(gain), plus = var(Tensor::zeros({width(x)}));
    tape.back(tape.norm(in, by, plus, eps, true), grad_y);
    return {in->grad, by->grad, plus->grad};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    Tape tape;
    const Var in = var(x), by = var(gain);
    tape.back(tape.norm(in, by, nullptr, eps, false), grad_y);
    return {in->grad, by->grad};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    if (!x.defined()) throw std::invalid_argument("x is undefined");
    std::vector<float> y;
    const Tensor dense = x.contiguous();
    for (Index i = 0; i < dense.numel(); ++i) {
        const double v = dense.data()[i];
        y.push_back(v < -30 ? 0 : static_cast<float>(v * phi(v, formula).value));
    }
    return Tensor::of(x.shape(), y);
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    if (!x.defined()) throw std::invalid_argument("x is undefined");
    same(grad_y, x.shape());
    std::vector<float> result;
    const Tensor dense = x.contiguous(), dy = grad_y.contiguous();
    for (Index i = 0; i < dense.numel(); ++i) {
        const double v = std::max(-30.0, std::min(30.0, double{dense.data()[i]}));  // nothing changes beyond
        const Phi p = phi(v, formula);
        result.push_back(static_cast<float>(dy.data()[i] * (p.value + v * p.slope)));
    }
    return Tensor::of(x.shape(), result);
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    Tape tape;
    return MlpVars(weights, width(x)).apply(tape, var(x), formula)->value;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    Tape tape;
    const MlpVars vars(weights, width(x));
    const Var in = var(x);
    tape.back(vars.apply(tape, in, formula), grad_y);
    return {in->grad, vars.grads()};
}

Tensor block_forward(const Block& block, const Tensor& x) { return BlockRun(block, x).out->value; }

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    width(x);
    same(grad_y, x.shape());
    BlockRun run(block, x);
    run.tape.back(run.out, grad_y);
    return {run.x->grad, {run.gain1->grad, run.bias1->grad}, {run.gain2->grad, run.bias2->grad}, run.of_mlp.grads()};
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    if (blocks.empty()) throw std::invalid_argument("a stack needs a block");
    width(x);
    same(grad_y, x.shape());
    std::vector<Tensor> inputs{x};
    for (std::size_t i = 1; i < blocks.size(); ++i) inputs.push_back(block_forward(blocks[i - 1], x));
    std::vector<BlockGradients> grads(blocks.size());
    const Tensor* grad = &grad_y;
    for (std::size_t i = blocks.size(); i-- > 0; grad = &grads[i].x) {
        // grad is updated after each pass, before i is counted down
        grads[i] = block_backward(blocks[i], inputs[i], *grad);
    }
    return grads;
}

}  // namespace headway::ex14
