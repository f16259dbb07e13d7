// Exercise 14: what its visible test asks, asked of the submission. See student/visible_twin.hpp.
#include "student/visible_twin.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

#include <functional>

namespace headway::ex14 {

using judge::Arguments;
using judge::asked_for;
using judge::field;

namespace {

std::string word(Gelu formula) { return formula == Gelu::exact ? "exact" : "tanh"; }
std::string word(Order order) { return order == Order::pre_norm ? "pre_norm" : "post_norm"; }

/// The "attention" of a visible test multiplies all by one number, which is what is sent of it.
Tensor factor_of(const Sublayer& attention, const Tensor& x) {
    const Tensor one = Tensor::ones(x.shape());
    return Tensor::full({2}, attention.forward(one).contiguous().data()[0]);
}

/// Tensors travel by themselves, those of a stack's blocks along a first axis.
Tensor joined(const std::vector<Block>& blocks, const std::function<Tensor(const Block&)>& of) {
    if (blocks.empty()) return {};
    Shape shape = of(blocks.front()).shape();
    shape.insert(shape.begin(), static_cast<Index>(blocks.size()));
    Tensor all = Tensor::zeros(shape);
    for (std::size_t i = 0; i < blocks.size(); ++i) all[static_cast<Index>(i)].copy_from(of(blocks[i]));
    return all;
}

void add_weights(Arguments& arguments, const std::function<Tensor(const std::function<Tensor(const Block&)>&)>& part,
                 const Tensor& x) {
    const auto add = [&](const char* name, const std::function<Tensor(const Block&)>& of) {
        arguments.push_back({name, part(of)});
    };
    add("norm1_gain", [](const Block& block) { return block.norm1.gain; });
    add("norm1_bias", [](const Block& block) { return block.norm1.bias; });
    add("norm2_gain", [](const Block& block) { return block.norm2.gain; });
    add("norm2_bias", [](const Block& block) { return block.norm2.bias; });
    add("w_in", [](const Block& block) { return block.mlp.w_in; });
    add("b_in", [](const Block& block) { return block.mlp.b_in; });
    add("w_out", [](const Block& block) { return block.mlp.w_out; });
    add("b_out", [](const Block& block) { return block.mlp.b_out; });
    add("mix", [&](const Block& block) { return factor_of(block.attention, x); });
}

void add_options(Arguments& arguments, const Block& block) {
    arguments.push_back({"order", word(block.order)});
    arguments.push_back({"gelu", word(block.gelu)});
    arguments.push_back({"eps", block.eps});
}

BlockGradients gradients(const wire::Record& record, const std::string& of) {
    const auto part = [&](const char* name) { return field<Tensor>(record, name + of); };
    return {part("x"),
            {part("norm1_gain"), part("norm1_bias")},
            {part("norm2_gain"), part("norm2_bias")},
            {part("w_in"), part("b_in"), part("w_out"), part("b_out")}};
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    return asked_for<Tensor>("layer_norm", {{"x", x}, {"gain", gain}, {"bias", bias}, {"eps", eps}});
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    return asked_for<Tensor>("rms_norm", {{"x", x}, {"gain", gain}, {"eps", eps}});
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    const auto grads =
        asked_for<wire::Record>("layer_norm_backward", {{"x", x}, {"gain", gain}, {"eps", eps}, {"grad_y", grad_y}});
    return {field<Tensor>(grads, "x"), field<Tensor>(grads, "gain"), field<Tensor>(grads, "bias")};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    const auto grads =
        asked_for<wire::Record>("rms_norm_backward", {{"x", x}, {"gain", gain}, {"eps", eps}, {"grad_y", grad_y}});
    return {field<Tensor>(grads, "x"), field<Tensor>(grads, "gain")};
}

Tensor gelu(const Tensor& x, Gelu formula) { return asked_for<Tensor>("gelu", {{"x", x}, {"formula", word(formula)}}); }

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    return asked_for<Tensor>("gelu_backward", {{"x", x}, {"grad_y", grad_y}, {"formula", word(formula)}});
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    return asked_for<Tensor>("mlp", {{"x", x},
                                     {"w_in", weights.w_in},
                                     {"b_in", weights.b_in},
                                     {"w_out", weights.w_out},
                                     {"b_out", weights.b_out},
                                     {"formula", word(formula)}});
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    const auto grads = asked_for<wire::Record>("mlp_backward", {{"x", x},
                                                                {"grad_y", grad_y},
                                                                {"w_in", weights.w_in},
                                                                {"b_in", weights.b_in},
                                                                {"w_out", weights.w_out},
                                                                {"b_out", weights.b_out},
                                                                {"formula", word(formula)}});
    const auto part = [&](const char* name) { return field<Tensor>(grads, name); };
    return {part("x"), {part("w_in"), part("b_in"), part("w_out"), part("b_out")}};
}

Tensor block_forward(const Block& block, const Tensor& x) {
    Arguments arguments{{"x", x}};
    add_weights(
        arguments, [&](const auto& of) { return of(block); }, x);
    add_options(arguments, block);
    return asked_for<Tensor>("block_forward", arguments);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    Arguments arguments{{"x", x}, {"grad_y", grad_y}};
    add_weights(
        arguments, [&](const auto& of) { return of(block); }, x);
    add_options(arguments, block);
    return gradients(asked_for<wire::Record>("block_backward", arguments), "");
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    Arguments arguments{{"x", x}, {"grad_y", grad_y}};
    add_weights(
        arguments, [&](const auto& of) { return joined(blocks, of); }, x);
    add_options(arguments, blocks.empty() ? Block{} : blocks.front());
    const auto answer = asked_for<wire::Record>("stack_backward", arguments);
    std::vector<BlockGradients> grads;
    while (answer.find("x of block " + std::to_string(grads.size())) != nullptr)
        grads.push_back(gradients(answer, " of block " + std::to_string(grads.size())));
    return grads;
}

}  // namespace headway::ex14
