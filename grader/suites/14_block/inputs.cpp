#include "suites/14_block/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::judge::block {
namespace {

float per_root(float size, Index count) { return size / std::sqrt(static_cast<float>(count)); }

/// Gains that are not 1, biases that are not 0.
Tensor random_gain(Random& random, const Shape& shape) { return random_tensor(random, shape) * 0.6F + 1.3F; }

const wire::Value& value(const Arguments& arguments, const std::string& name) {
    const auto found = std::ranges::find(arguments, name, &wire::Field::name);
    if (found == arguments.end()) throw std::out_of_range("no argument " + name);
    return found->value;
}

const Tensor& tensor(const Arguments& arguments, const std::string& name) {
    return std::get<Tensor>(value(arguments, name));
}

const std::string& other_formula(const std::string& formula) { return formulas[formula == formulas[0] ? 1 : 0]; }

}  // namespace

BlockSizes random_block_sizes(Random& random) {
    const Sizes n = random_sizes(random);
    return {n.B, n.T, n.d, n.S};
}

double random_eps(Random& random) {
    const double choices[] = {1e-5, 1e-2, 0.5};
    return choices[static_cast<std::size_t>(random.integer(0, 2))];
}

NormInputs::NormInputs(Random& random, const BlockSizes& n)
    : x(random_tensor(random, {n.T, n.B, n.D}).transpose(0, 1) * 1.5F + 0.7F),
      gain(random_gain(random, {n.D})),
      bias(random_tensor(random, {n.D})),
      grad_y(random_tensor(random, {n.B, n.D, n.T}).transpose(1, 2)),
      eps(random_eps(random)) {}

Arguments NormInputs::forward(Kind kind) const {
    if (kind == Kind::rms) return {{"x", x}, {"gain", gain}, {"eps", eps}};
    return {{"x", x}, {"gain", gain}, {"bias", bias}, {"eps", eps}};
}

Arguments NormInputs::backward() const { return {{"x", x}, {"gain", gain}, {"eps", eps}, {"grad_y", grad_y}}; }

Array NormInputs::expected(Kind kind) const {
    const Array shift = exact(bias);
    return diagnosis::normed(diagnosis::Norms::right(), kind, exact(x), exact(gain),
                             kind == Kind::layer ? &shift : nullptr, eps);
}

diagnosis::NormGradients NormInputs::expected_gradients(Kind kind) const {
    return diagnosis::normed_backward(diagnosis::Norms::right(), kind, exact(x), exact(gain), eps, exact(grad_y));
}

MlpInputs::MlpInputs(Random& random, const BlockSizes& n, const std::string& formula_of_gelu)
    : x(random_tensor(random, {n.T, n.B, n.D}).transpose(0, 1)),
      grad_y(random_tensor(random, {n.B, n.D, n.T}).transpose(1, 2)),
      w_in(random_tensor(random, {n.F, n.D}).transpose(0, 1) * per_root(1.5F, n.D)),
      b_in(random_tensor(random, {n.F})),
      w_out(random_tensor(random, {n.F, n.D}) * per_root(1.0F, n.F)),
      b_out(random_tensor(random, {n.D})),
      formula(formula_of_gelu) {}

Arguments MlpInputs::forward() const {
    return {{"x", x}, {"w_in", w_in}, {"b_in", b_in}, {"w_out", w_out}, {"b_out", b_out}, {"formula", formula}};
}

Arguments MlpInputs::backward() const {
    Arguments arguments = forward();
    arguments.insert(arguments.begin() + 1, {"grad_y", grad_y});
    return arguments;
}

diagnosis::MlpArrays MlpInputs::weights() const { return {exact(w_in), exact(b_in), exact(w_out), exact(b_out)}; }

BlockInputs::BlockInputs(Random& random, const BlockSizes& n, Index L)
    : x(random_tensor(random, {n.B, n.T, n.D})),
      grad_y(random_tensor(random, {n.T, n.B, n.D}).transpose(0, 1)),
      order(orders[static_cast<std::size_t>(random.integer(0, 1))]),
      formula(formulas[static_cast<std::size_t>(random.integer(0, 1))]),
      eps(random_eps(random)) {
    const auto shape = [&](Shape of_one) {
        if (L > 0) of_one.insert(of_one.begin(), L);
        return of_one;
    };
    const auto add = [&](const std::string& name, const Tensor& some) { weights.push_back({name, some}); };
    for (const char* name : {"norm1", "norm2"}) {
        add(std::string(name) + "_gain", random_gain(random, shape({n.D})));
        add(std::string(name) + "_bias", random_tensor(random, shape({n.D})) * 0.5F);
    }
    add("w_in", random_tensor(random, shape({n.D, n.F})) * per_root(1.0F, n.D));
    add("b_in", random_tensor(random, shape({n.F})) * 0.5F);
    add("w_out", random_tensor(random, shape({n.F, n.D})) * per_root(1.0F, n.F));
    add("b_out", random_tensor(random, shape({n.D})) * 0.5F);
    add("mix", random_tensor(random, shape({n.T, n.T})) * per_root(0.5F, n.T));
}

BlockInputs BlockInputs::ordered(const std::string& other) const {
    BlockInputs block = *this;
    block.order = other;
    return block;
}

BlockInputs BlockInputs::calm() const {
    BlockInputs block = *this;
    block.eps = 4;
    for (wire::Field& field : block.weights)
        if (field.name == "mix") field.value = std::get<Tensor>(field.value) * 0.2F;
    return block;
}

BlockInputs BlockInputs::idle() const {
    BlockInputs block = *this;
    std::ranges::find(block.weights, "mix", &wire::Field::name)->value = Tensor::ones({1});
    return block;
}

BlockInputs BlockInputs::bent(const std::string& formula_of_gelu) const {
    BlockInputs block = calm();
    block.formula = formula_of_gelu;
    const auto change = [&](const std::string& name, float factor, float shift) {
        wire::Value& weight = std::ranges::find(block.weights, name, &wire::Field::name)->value;
        weight = std::get<Tensor>(weight) * factor + shift;
    };
    // Around -2.3 the formulas differ by 3e-4, and their derivatives by 7e-4, which are -0.05 there.
    change("b_in", 0.1F, -2.3F);
    const std::string before_mlp = order == "pre_norm" ? "norm2" : "norm1";
    change(before_mlp + "_gain", 0.1F, 0);
    change(before_mlp + "_bias", 0.1F, 0);
    block.grad_y = (grad_y.transpose(0, 1) * 12.0F).transpose(0, 1);  // a view, as it was
    return block;
}

std::vector<BlockInputs> blocks_of_all_kinds(Random& random) {
    std::vector<BlockInputs> all;
    for (const std::string& order : orders)
        all.push_back(BlockInputs(random, random_block_sizes(random), 0).ordered(order));
    for (const std::string& order : orders)
        all.push_back(BlockInputs(random, random_block_sizes(random), 0).ordered(order).idle());
    for (const std::string& formula : formulas)
        for (const std::string& order : orders)
            all.push_back(BlockInputs(random, {2, 3, 4, 5}, 0).ordered(order).bent(formula));
    return all;
}

Arguments BlockInputs::forward() const {
    Arguments arguments{{"x", x}};
    arguments.insert(arguments.end(), weights.begin(), weights.end());
    arguments.push_back({"order", order});
    arguments.push_back({"formula", formula});
    arguments.push_back({"eps", eps});
    return arguments;
}

Arguments BlockInputs::backward() const {
    Arguments arguments = forward();
    arguments.insert(arguments.begin() + 1, {"grad_y", grad_y});
    return arguments;
}

std::vector<BlockArrays> blocks_of(const Arguments& arguments) {
    const bool is_stack = tensor(arguments, "mix").rank() == 3;
    const Index L = is_stack ? tensor(arguments, "mix").size(0) : 1;
    const auto& order = std::get<std::string>(value(arguments, "order"));
    const auto& formula = std::get<std::string>(value(arguments, "formula"));
    const double eps = std::get<double>(value(arguments, "eps"));
    std::vector<BlockArrays> all;
    for (Index i = 0; i < L; ++i) {
        const bool is_other = order == mixed && i % 2 == 1;
        const auto part = [&](const char* name) {
            const Tensor& whole = tensor(arguments, name);
            return exact(is_stack ? whole[i] : whole);
        };
        all.push_back({{{{part("norm1_gain"), part("norm1_bias")}, {part("norm2_gain"), part("norm2_bias")}}},
                       {part("w_in"), part("b_in"), part("w_out"), part("b_out")},
                       part("mix"),
                       order != "post_norm" && !is_other,
                       is_other ? other_formula(formula) : formula,
                       is_other ? eps + 1 : eps});
    }
    return all;
}

diagnosis::MlpArrays mlp_of(const Arguments& arguments) {
    return {exact(tensor(arguments, "w_in")), exact(tensor(arguments, "b_in")), exact(tensor(arguments, "w_out")),
            exact(tensor(arguments, "b_out"))};
}

}  // namespace headway::judge::block
