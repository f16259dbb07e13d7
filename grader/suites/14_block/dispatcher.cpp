#include "worker/dispatcher.hpp"

#include <block.hpp>

#include <algorithm>

namespace headway::worker {
namespace {

/// How often a stand-in for attention was called.
struct Calls {
    Index forward = 0, backward = 0;
};

/// What stands for attention: each token gets a weighted sum of the squares of all tokens, feature by feature. It is
/// not linear, so its gradient depends on where it is asked for.
/// @param mix  (T, T); of one axis with one number: every token is left as it is, and what comes back is the argument
/// itself; with two: everything is multiplied by the second, which visible tests have for attention
ex14::Sublayer mixing(const Tensor& mix, Calls& calls) {
    if (mix.rank() == 1 && mix.size(0) == 2) {
        const auto scaled = [factor = mix(1)](const Tensor& x) { return x * factor; };
        return {scaled, [scaled](const Tensor&, const Tensor& grad_y) { return scaled(grad_y); }};
    }
    if (mix.rank() == 1)
        return {[](const Tensor& x) { return x; }, [](const Tensor&, const Tensor& grad_y) { return grad_y; }};
    return {[mix, &calls](const Tensor& x) {
                ++calls.forward;
                return matmul(mix, x * x);
            },
            [mix, &calls](const Tensor& x, const Tensor& grad_y) {
                ++calls.backward;
                return x * matmul(mix.transpose(0, 1), grad_y) * 2.0F;
            }};
}

ex14::Order order_of(const std::string& word) {
    return word == "post_norm" ? ex14::Order::post_norm : ex14::Order::pre_norm;
}

ex14::Gelu other(ex14::Gelu formula) { return formula == ex14::Gelu::exact ? ex14::Gelu::tanh : ex14::Gelu::exact; }

}  // namespace

template <>
struct Convert<ex14::Gelu> {
    static ex14::Gelu from(const wire::Value& value, Objects&) {
        return std::get<std::string>(value) == "tanh" ? ex14::Gelu::tanh : ex14::Gelu::exact;
    }
};

template <>
struct Convert<ex14::Order> {
    static ex14::Order from(const wire::Value& value, Objects&) { return order_of(std::get<std::string>(value)); }
};

template <>
struct Convert<ex14::LayerNormGradients> {
    static wire::Value to(ex14::LayerNormGradients grad, Objects&) {
        return wire::Record{{{"x", grad.x}, {"gain", grad.gain}, {"bias", grad.bias}}};
    }
};

template <>
struct Convert<ex14::RmsNormGradients> {
    static wire::Value to(ex14::RmsNormGradients grad, Objects&) {
        return wire::Record{{{"x", grad.x}, {"gain", grad.gain}}};
    }
};

template <>
struct Convert<ex14::MlpGradients> {
    static wire::Value to(ex14::MlpGradients grad, Objects&) {
        const ex14::MlpWeights& w = grad.weights;
        return wire::Record{
            {{"x", grad.x}, {"w_in", w.w_in}, {"b_in", w.b_in}, {"w_out", w.w_out}, {"b_out", w.b_out}}};
    }
};

namespace {

void append(wire::Record& record, const ex14::BlockGradients& grad, const std::string& of) {
    for (const auto& [name, tensor] :
         std::initializer_list<std::pair<const char*, Tensor>>{{"x", grad.x},
                                                               {"norm1_gain", grad.norm1.gain},
                                                               {"norm1_bias", grad.norm1.bias},
                                                               {"norm2_gain", grad.norm2.gain},
                                                               {"norm2_bias", grad.norm2.bias},
                                                               {"w_in", grad.mlp.w_in},
                                                               {"b_in", grad.mlp.b_in},
                                                               {"w_out", grad.mlp.w_out},
                                                               {"b_out", grad.mlp.b_out}})
        record.fields.push_back({name + of, tensor});
}

}  // namespace

template <>
struct Convert<ex14::BlockGradients> {
    static wire::Value to(const ex14::BlockGradients& grad, Objects&) {
        wire::Record record;
        append(record, grad, "");
        return record;
    }
};

template <>
struct Convert<std::vector<ex14::BlockGradients>> {
    static wire::Value to(const std::vector<ex14::BlockGradients>& all, Objects&) {
        wire::Record record;
        for (std::size_t i = 0; i < all.size(); ++i) append(record, all[i], " of block " + std::to_string(i));
        return record;
    }
};

namespace {

/// Tensors travel by themselves, so that each can be another view; those of a stack's blocks along a first axis.
/// @param order  "mixed": every other block is post-norm, with the other formula and a larger eps, as in blocks_of()
std::vector<ex14::Block> stack(const Tensor& norm1_gain, const Tensor& norm1_bias, const Tensor& norm2_gain,
                               const Tensor& norm2_bias, const Tensor& w_in, const Tensor& b_in, const Tensor& w_out,
                               const Tensor& b_out, const Tensor& mix, const std::string& order, ex14::Gelu formula,
                               double eps, Calls& calls) {
    std::vector<ex14::Block> blocks;
    for (Index i = 0; mix.defined() && i < mix.size(0); ++i) {
        const bool is_other = order == "mixed" && i % 2 == 1;
        blocks.push_back({{norm1_gain[i], norm1_bias[i]},
                          {norm2_gain[i], norm2_bias[i]},
                          {w_in[i], b_in[i], w_out[i], b_out[i]},
                          mixing(mix[i], calls),
                          is_other ? ex14::Order::post_norm : order_of(order),
                          is_other ? other(formula) : formula,
                          is_other ? eps + 1 : eps});
    }
    return blocks;
}

Tensor block_forward(const Tensor& x, const Tensor& norm1_gain, const Tensor& norm1_bias, const Tensor& norm2_gain,
                     const Tensor& norm2_bias, const Tensor& w_in, const Tensor& b_in, const Tensor& w_out,
                     const Tensor& b_out, const Tensor& mix, ex14::Order order, ex14::Gelu formula, double eps) {
    Calls calls;
    return ex14::block_forward({{norm1_gain, norm1_bias},
                                {norm2_gain, norm2_bias},
                                {w_in, b_in, w_out, b_out},
                                mixing(mix, calls),
                                order,
                                formula,
                                eps},
                               x);
}

ex14::BlockGradients block_backward(const Tensor& x, const Tensor& grad_y, const Tensor& norm1_gain,
                                    const Tensor& norm1_bias, const Tensor& norm2_gain, const Tensor& norm2_bias,
                                    const Tensor& w_in, const Tensor& b_in, const Tensor& w_out, const Tensor& b_out,
                                    const Tensor& mix, ex14::Order order, ex14::Gelu formula, double eps) {
    Calls calls;
    return ex14::block_backward({{norm1_gain, norm1_bias},
                                 {norm2_gain, norm2_bias},
                                 {w_in, b_in, w_out, b_out},
                                 mixing(mix, calls),
                                 order,
                                 formula,
                                 eps},
                                x, grad_y);
}

/// Other numbers in the same tensor.
void overwrite(Tensor& dense, const Tensor& by) {
    const Tensor numbers = by.contiguous();
    std::copy_n(numbers.data(), numbers.numel(), dense.data());
}

/// The course's own: block_backward, after block_forward saw the same tensors with other numbers in them, as one step
/// of training leaves them.
ex14::BlockGradients block_backward_after_a_step(const Tensor& x, const Tensor& grad_y, const Tensor& norm1_gain,
                                                 const Tensor& norm1_bias, const Tensor& norm2_gain,
                                                 const Tensor& norm2_bias, const Tensor& w_in, const Tensor& b_in,
                                                 const Tensor& w_out, const Tensor& b_out, const Tensor& mix,
                                                 ex14::Order order, ex14::Gelu formula, double eps,
                                                 const std::string& step) {
    Calls calls;
    std::vector<std::pair<Tensor, Tensor>> changed;  // what holds other numbers before, and these afterwards
    const auto before = [&](const Tensor& after, bool changes) {
        if (!changes) return after;
        changed.emplace_back(after * -0.5F + 1.0F, after);
        return changed.back().first;
    };
    const bool early = step == "early", norm = step == "norm2", late = step == "late";
    const Tensor at = before(x, early);
    const ex14::Block block{{before(norm1_gain, early), norm1_bias},
                            {before(norm2_gain, norm), before(norm2_bias, norm)},
                            {before(w_in, early), before(b_in, late), before(w_out, late), before(b_out, late)},
                            mixing(mix, calls),
                            order,
                            formula,
                            eps};
    ex14::block_forward(block, at);
    for (auto& [held, after] : changed) overwrite(held, after);
    return ex14::block_backward(block, at, grad_y);
}

std::vector<ex14::BlockGradients> stack_backward(const Tensor& x, const Tensor& grad_y, const Tensor& norm1_gain,
                                                 const Tensor& norm1_bias, const Tensor& norm2_gain,
                                                 const Tensor& norm2_bias, const Tensor& w_in, const Tensor& b_in,
                                                 const Tensor& w_out, const Tensor& b_out, const Tensor& mix,
                                                 const std::string& order, ex14::Gelu formula, double eps) {
    Calls calls;
    return ex14::stack_backward(stack(norm1_gain, norm1_bias, norm2_gain, norm2_bias, w_in, b_in, w_out, b_out, mix,
                                      order, formula, eps, calls),
                                x, grad_y);
}

Tensor counted(const Calls& calls) {
    return Tensor::of({2}, {static_cast<float>(calls.forward), static_cast<float>(calls.backward)});
}

/// How often block_backward calls attention: forward, backward.
Tensor calls_of_block_backward(const Tensor& x, const Tensor& grad_y, const Tensor& norm1_gain,
                               const Tensor& norm1_bias, const Tensor& norm2_gain, const Tensor& norm2_bias,
                               const Tensor& w_in, const Tensor& b_in, const Tensor& w_out, const Tensor& b_out,
                               const Tensor& mix, ex14::Order order, ex14::Gelu formula, double eps) {
    Calls calls;
    ex14::block_backward({{norm1_gain, norm1_bias},
                          {norm2_gain, norm2_bias},
                          {w_in, b_in, w_out, b_out},
                          mixing(mix, calls),
                          order,
                          formula,
                          eps},
                         x, grad_y);
    return counted(calls);
}

/// How often stack_backward calls attention: forward, backward.
Tensor calls_of_stack_backward(const Tensor& x, const Tensor& grad_y, const Tensor& norm1_gain,
                               const Tensor& norm1_bias, const Tensor& norm2_gain, const Tensor& norm2_bias,
                               const Tensor& w_in, const Tensor& b_in, const Tensor& w_out, const Tensor& b_out,
                               const Tensor& mix, const std::string& order, ex14::Gelu formula, double eps) {
    Calls calls;
    ex14::stack_backward(stack(norm1_gain, norm1_bias, norm2_gain, norm2_bias, w_in, b_in, w_out, b_out, mix, order,
                               formula, eps, calls),
                         x, grad_y);
    return counted(calls);
}

}  // namespace

void add_functions(Dispatcher& dispatcher) {
    dispatcher.add("layer_norm", &ex14::layer_norm);
    dispatcher.add("rms_norm", &ex14::rms_norm);
    dispatcher.add("layer_norm_backward", &ex14::layer_norm_backward);
    dispatcher.add("rms_norm_backward", &ex14::rms_norm_backward);
    dispatcher.add("gelu", &ex14::gelu);
    dispatcher.add("gelu_backward", &ex14::gelu_backward);
    dispatcher.add(
        "mlp", +[](const Tensor& x, const Tensor& w_in, const Tensor& b_in, const Tensor& w_out, const Tensor& b_out,
                   ex14::Gelu formula) {
            return ex14::mlp({w_in, b_in, w_out, b_out}, x, formula);
        });
    dispatcher.add(
        "mlp_backward", +[](const Tensor& x, const Tensor& grad_y, const Tensor& w_in, const Tensor& b_in,
                            const Tensor& w_out, const Tensor& b_out, ex14::Gelu formula) {
            return ex14::mlp_backward({w_in, b_in, w_out, b_out}, x, grad_y, formula);
        });
    dispatcher.add("block_forward", &block_forward);
    dispatcher.add("block_backward", &block_backward);
    dispatcher.add("block_backward_after_a_step", &block_backward_after_a_step);
    dispatcher.add("calls_of_block_backward", &calls_of_block_backward);
    dispatcher.add("stack_backward", &stack_backward);
    dispatcher.add("calls_of_stack_backward", &calls_of_stack_backward);
}

}  // namespace headway::worker
