// What diagnosis knows of exercise 14.         B batch · T tokens · D model width · F hidden width · L blocks
#include "suites/14_block/own_parts.hpp"
#include "suites/14_block/questions.hpp"

#include "diagnosis/subject.hpp"

#include <stdexcept>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::block::blocks_of;
using judge::block::mlp_of;
using reference::exact;

double eps_of(const Arguments& arguments) { return std::get<double>(argument(arguments, "eps")); }
std::string text(const Arguments& arguments, const std::string& name) {
    return std::get<std::string>(argument(arguments, name));
}

bool has(const Arguments& arguments, const std::string& name) {
    for (const wire::Field& field : arguments)
        if (field.name == name) return true;
    return false;
}

/// As the tensor of that name is read.
Array read(const Choices& c, const Arguments& arguments, const char* name) {
    return c.reading.tensor(tensor(arguments, name), Argument::other);
}

/// (B, T, D), and grad_y alike if there is one.
bool are_tokens(const Arguments& arguments) {
    const Tensor x = tensor(arguments, "x");
    return x.rank() == 3 && (!has(arguments, "grad_y") || tensor(arguments, "grad_y").shape() == x.shape());
}

bool are_normable(const Arguments& arguments) {
    if (!are_tokens(arguments) || !(eps_of(arguments) > 0)) return false;
    const Shape features{tensor(arguments, "x").size(2)};
    return tensor(arguments, "gain").shape() == features &&
           (!has(arguments, "bias") || tensor(arguments, "bias").shape() == features);
}

template <Kind kind>
Predict norm(const Arguments& arguments) {
    if (!are_normable(arguments)) return nullptr;
    return [=](const Choices& c) {
        const bool is_layer = kind == Kind::layer;
        const Array bias = is_layer ? read(c, arguments, "bias") : Array{};
        return Answer::of(normed(c.of<Norms>(), kind, read(c, arguments, "x"), read(c, arguments, "gain"),
                                 is_layer ? &bias : nullptr, eps_of(arguments)));
    };
}

template <Kind kind>
Predict norm_backward(const Arguments& arguments) {
    if (!are_normable(arguments)) return nullptr;
    return [=](const Choices& c) {
        NormGradients grad = normed_backward(c.of<Norms>(), kind, read(c, arguments, "x"), read(c, arguments, "gain"),
                                             eps_of(arguments), read(c, arguments, "grad_y"));
        Answer answer{.parts = {{"x", std::move(grad.x)}, {"gain", std::move(grad.gain)}}};
        if (kind == Kind::layer) answer.parts.emplace_back("bias", std::move(grad.bias));
        return answer;
    };
}

Predict gelu(const Arguments& arguments) {
    return [=](const Choices& c) {
        if (c.of<Activation>().clone_is_walked)
            return Answer::of(
                activated_in_a_clone(c.of<Activation>(), tensor(arguments, "x"), text(arguments, "formula")));
        return Answer::of(activated(c.of<Activation>(), read(c, arguments, "x"), text(arguments, "formula")));
    };
}

/// Of 100, gelu gives 100.
Invariant large_numbers_are_kept(const std::string& formula) {
    const auto with_first = [](const Tensor& x, float number) {
        Tensor other = x.contiguous().clone();
        other.data()[0] = number;
        return other;
    };
    Invariant invariant;
    invariant.broken = "by " + formula + ", gelu of 100 is not 100";
    invariant.first = [=](const Arguments& question) {
        return std::optional(Arguments{{"x", with_first(tensor(question, "x"), 1)}, {"formula", formula}});
    };
    invariant.second = [=](const Arguments& first) {
        return Arguments{{"x", with_first(tensor(first, "x"), 100)}, {"formula", formula}};
    };
    invariant.of_first = [](const Array& one) {
        Array other = one;
        put_element(other, 0, exactly(100));
        return other;
    };
    invariant.of_second = [](const Array& one) { return one; };
    return invariant;
}

Predict gelu_backward(const Arguments& arguments) {
    if (tensor(arguments, "x").shape() != tensor(arguments, "grad_y").shape()) return nullptr;
    return [=](const Choices& c) {
        if (c.of<Activation>().clone_is_walked)
            return Answer::of(slopes_in_a_clone(c.of<Activation>(), tensor(arguments, "x"),
                                                read(c, arguments, "grad_y"), text(arguments, "formula")));
        if (c.of<Activation>().clone_of_gradient_is_walked)
            return Answer::of(activated_backward_in_a_clone(c.of<Activation>(), tensor(arguments, "x"),
                                                            tensor(arguments, "grad_y"), text(arguments, "formula")));
        return Answer::of(activated_backward(c.of<Activation>(), read(c, arguments, "x"), read(c, arguments, "grad_y"),
                                             text(arguments, "formula")));
    };
}

/// The weights of an MLP, or of the MLPs of L blocks.
bool mlp_fits(const Arguments& arguments, const Shape& blocks) {
    const Tensor x = tensor(arguments, "x"), w_in = tensor(arguments, "w_in");
    if (w_in.rank() != static_cast<Index>(blocks.size()) + 2) return false;
    const Index D = x.size(2), F = w_in.size(-1);
    const auto has_shape = [&](const char* name, const Shape& of_one) {
        Shape shape = blocks;
        shape.insert(shape.end(), of_one.begin(), of_one.end());
        return tensor(arguments, name).shape() == shape;
    };
    return has_shape("w_in", {D, F}) && has_shape("b_in", {F}) && has_shape("w_out", {F, D}) && has_shape("b_out", {D});
}

MlpArrays mlp_read(const Choices& c, const Arguments& arguments) {
    return {read(c, arguments, "w_in"), read(c, arguments, "b_in"), read(c, arguments, "w_out"),
            read(c, arguments, "b_out")};
}

Predict mlp(const Arguments& arguments) {
    if (!are_tokens(arguments) || !mlp_fits(arguments, {})) return nullptr;
    return [=](const Choices& c) {
        return Answer::of(through_mlp(c.of<Activation>(), mlp_read(c, arguments), read(c, arguments, "x"),
                                      text(arguments, "formula")));
    };
}

Answer answer_of_mlp(MlpGradients grad) {
    return Answer{.parts = {{"x", std::move(grad.x)},
                            {"w_in", std::move(grad.weights.w_in)},
                            {"b_in", std::move(grad.weights.b_in)},
                            {"w_out", std::move(grad.weights.w_out)},
                            {"b_out", std::move(grad.weights.b_out)}}};
}

Predict mlp_backward(const Arguments& arguments) {
    if (!are_tokens(arguments) || !mlp_fits(arguments, {})) return nullptr;
    return [=](const Choices& c) {
        return answer_of_mlp(through_mlp_backward(c.of<Activation>(), mlp_read(c, arguments), read(c, arguments, "x"),
                                                  read(c, arguments, "grad_y"), text(arguments, "formula")));
    };
}

BlockChoices choices_of(const Choices& c) { return {c.of<Norms>(), c.of<Activation>(), c.of<Wiring>()}; }

bool block_fits(const Arguments& arguments) {
    if (!are_tokens(arguments) || !(eps_of(arguments) > 0)) return false;
    const Tensor mix = tensor(arguments, "mix");
    if (mix.rank() < 1 || mix.rank() > 3) return false;
    const Shape blocks = mix.rank() == 3 ? Shape{mix.size(0)} : Shape{};
    Shape features = blocks;
    features.push_back(tensor(arguments, "x").size(2));
    for (const char* name : {"norm1_gain", "norm1_bias", "norm2_gain", "norm2_bias"})
        if (tensor(arguments, name).shape() != features) return false;
    return mlp_fits(arguments, blocks);
}

Predict block_forward(const Arguments& arguments) {
    if (!block_fits(arguments)) return nullptr;
    const BlockArrays block = blocks_of(arguments).front();
    return [=, x = exact(tensor(arguments, "x"))](const Choices& c) {
        return Answer::of(ModelBlocks(choices_of(c)).forward(block, x));
    };
}

Predict block_backward(const Arguments& arguments) {
    if (!block_fits(arguments)) return nullptr;
    const BlockArrays block = blocks_of(arguments).front();
    return [=, x = exact(tensor(arguments, "x")), grad_y = exact(tensor(arguments, "grad_y"))](const Choices& c) {
        return Answer{.parts = ModelBlocks(choices_of(c)).backward(block, x, grad_y)};
    };
}

Predict stack_backward(const Arguments& arguments) {
    if (!block_fits(arguments)) return nullptr;
    const std::vector<BlockArrays> stack = blocks_of(arguments);
    return [=, x = exact(tensor(arguments, "x")), grad_y = exact(tensor(arguments, "grad_y"))](const Choices& c) {
        return Answer{.parts = model_of_stack(choices_of(c), stack, x, grad_y)};
    };
}

// ---- what follows from the submission's own functions -----------------------------------------------------------

std::optional<Answer> mlp_from_own_and(judge::Student& student, const Arguments& arguments, const Choices& c) {
    if (!mlp(arguments)) return std::nullopt;
    return Answer::of(judge::block::mlp_from_own(student, arguments, c.of<Activation>()));
}

std::optional<Answer> mlp_gradients_from_own_and(judge::Student& student, const Arguments& arguments,
                                                 const Choices& c) {
    if (!mlp_backward(arguments)) return std::nullopt;
    return answer_of_mlp(judge::block::mlp_backward_from_own(student, arguments, c.of<Activation>()));
}

std::optional<Answer> block_from_own_and(judge::Student& student, const Arguments& arguments, const Choices& c) {
    if (!block_fits(arguments)) return std::nullopt;
    judge::block::OwnParts parts(student);
    return Answer::of(
        through_block(c.of<Wiring>(), parts, blocks_of(arguments).front(), exact(tensor(arguments, "x"))));
}

std::optional<Answer> gradients_from_own_and(judge::Student& student, const Arguments& arguments, const Choices& c) {
    if (!block_fits(arguments)) return std::nullopt;
    judge::block::OwnParts parts(student);
    return Answer{.parts = through_block_backward(c.of<Wiring>(), parts, blocks_of(arguments).front(),
                                                  exact(tensor(arguments, "x")), exact(tensor(arguments, "grad_y")))};
}

std::optional<Answer> stack_from_own_and(judge::Student& student, const Arguments& arguments, const Choices& c) {
    if (!block_fits(arguments)) return std::nullopt;
    judge::block::OwnBlocks blocks(student);
    return Answer{.parts = through_stack_backward(c.of<Wiring>(), blocks, blocks_of(arguments),
                                                  exact(tensor(arguments, "x")), exact(tensor(arguments, "grad_y")))};
}

const SubjectRegistration registration(
    "14_block",
    {{{.name = "layer_norm", .model = &norm<Kind::layer>, .questions = &ask_layer_norm},
      {.name = "rms_norm", .model = &norm<Kind::rms>, .questions = &ask_rms_norm},
      {.name = "layer_norm_backward", .model = &norm_backward<Kind::layer>, .questions = &ask_norm_backward},
      {.name = "rms_norm_backward", .model = &norm_backward<Kind::rms>, .questions = &ask_norm_backward},
      {.name = "gelu",
       .model = &gelu,
       .questions = &ask_gelu,
       .invariants = {large_numbers_are_kept("exact"), large_numbers_are_kept("tanh")}},
      {.name = "gelu_backward", .model = &gelu_backward, .questions = &ask_gelu_backward},
      {.name = "mlp",
       .model = &mlp,
       .questions = &ask_mlp,
       .given_own = &rightly<&mlp_from_own_and>,
       .given_own_and = &mlp_from_own_and},
      {.name = "mlp_backward",
       .model = &mlp_backward,
       .questions = &ask_mlp_backward,
       .given_own = &rightly<&mlp_gradients_from_own_and>,
       .given_own_and = &mlp_gradients_from_own_and},
      {.name = "block_forward",
       .model = &block_forward,
       .questions = &ask_block_forward,
       .given_own = &rightly<&block_from_own_and>,
       .given_own_and = &block_from_own_and},
      {.name = "block_backward",
       .model = &block_backward,
       .questions = &ask_block_backward,
       .given_own = &rightly<&gradients_from_own_and>,
       .given_own_and = &gradients_from_own_and},
      {.name = "stack_backward",
       .model = &stack_backward,
       .questions = &ask_stack_backward,
       .given_own = &rightly<&stack_from_own_and>,
       .given_own_and = &stack_from_own_and}}});

}  // namespace
}  // namespace headway::diagnosis
