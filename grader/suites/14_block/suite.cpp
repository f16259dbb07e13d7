// Hidden tests of exercise 14.                 B batch · T tokens · D model width · F hidden width · L blocks
#include "suites/14_block/memory.hpp"
#include "suites/14_block/misfits.hpp"
#include "suites/14_block/own_parts.hpp"

#include "student/hidden_test.hpp"
#include "student/record_field.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace headway::judge {
namespace {

using namespace block;  // what several files of this suite share

using diagnosis::Activation;
using diagnosis::NamedArrays;
using diagnosis::Wiring;

HIDDEN_SUITE(Block);

CheckedPart token_axes(const std::string& name) { return {name, Stage::none, {"b", "token", "feature"}}; }

/// Of the gradient of x or of a weight, by its rank.
CheckedPart gradient_axes(const std::string& name, std::size_t rank) {
    const std::string part = "gradients of " + name;
    if (rank == 3) return token_axes(part);
    return {part, Stage::none,
            rank == 2 ? std::vector<std::string>{"row", "column"} : std::vector<std::string>{"feature"}};
}

// ---- norms -----------------------------------------------------------------------------------------------------

void expect_normed(Student& student, const NormInputs& in, Kind kind) {
    const bool is_layer = kind == Kind::layer;
    expect_close(student, token_axes("normed tokens"),
                 student.tensor(is_layer ? "layer_norm" : "rms_norm", in.forward(kind)), in.expected(kind));
}

void expect_norm_gradients(Student& student, const NormInputs& in, Kind kind) {
    const bool is_layer = kind == Kind::layer;
    const wire::Record given = student.record(is_layer ? "layer_norm_backward" : "rms_norm_backward", in.backward());
    const diagnosis::NormGradients expected = in.expected_gradients(kind);
    expect_close(student, gradient_axes("x", 3), field<Tensor>(given, "x"), expected.x);
    expect_close(student, gradient_axes("gain", 1), field<Tensor>(given, "gain"), expected.gain);
    if (is_layer) expect_close(student, gradient_axes("bias", 1), field<Tensor>(given, "bias"), expected.bias);
}

/// The same tokens, larger or smaller, and moved.
NormInputs changed(NormInputs in, float factor, float shift, double eps) {
    in.x = in.x * factor + shift;
    in.eps = eps;
    return in;
}

using Expect = void (*)(Student&, const NormInputs&, Kind);

/// With an eps that shows and one that does not, features that hardly differ, tokens of one number, and all sizes.
void expect_of_all_tokens(Student& student, Random& random, Kind kind, Expect expect) {
    const BlockSizes n = random_block_sizes(random);
    const NormInputs in(random, n);
    for (const double eps : {1e-5, 1e-2, 3.0}) expect(student, changed(in, 1, 0, eps), kind);
    expect(student, changed(in, 1e-3F, 0, 1e-5), kind);
    expect(student, changed(in, 1e-5F, 0, 1e-12), kind);  // the least eps there is, and it shows
    expect(student, changed(in, 100, 0, 1e-5), kind);
    expect(student, changed(in, 0, 3, 1e-2), kind);
    NormInputs dense = in;
    dense.x = in.x.contiguous();
    dense.grad_y = strided(in.grad_y);
    expect(student, dense, kind);
    for_every_relation(student, random, "B T D", [&](const AxisSizes& sizes, Random& own) {
        expect(student, NormInputs(own, {sizes["B"], sizes["T"], sizes["D"], 1}), kind);
    });
}

PROPERTY(Block, TokensAreNormedByThemselves, 1,
         "layer norm gives each token's features mean 0 and variance 1, then gain and bias; means of thousands cost no "
         "digits") {
    expect_of_all_tokens(student, random, Kind::layer, &expect_normed);
    for (const float far : {4'000.0F, -9'000.0F})
        expect_normed(student, changed(NormInputs(random, random_block_sizes(random)), 1, far, 1e-5), Kind::layer);
}

PROPERTY(Block, RmsNormSubtractsNothing, 1,
         "RMS norm divides each token by the root of its mean square, on the way forward and back") {
    expect_of_all_tokens(student, random, Kind::rms, &expect_normed);
    expect_of_all_tokens(student, random, Kind::rms, &expect_norm_gradients);
}

PROPERTY(Block, MeanAndSpreadGoBackToo, 1,
         "the gradient of a normed token goes back by way of its mean and its spread; gain and bias get sums over all "
         "tokens") {
    expect_of_all_tokens(student, random, Kind::layer, &expect_norm_gradients);
    for (const float far : {4'000.0F, -9'000.0F})
        expect_norm_gradients(student, changed(NormInputs(random, random_block_sizes(random)), 1, far, 1e-5),
                              Kind::layer);
}

// ---- GELU and MLP ----------------------------------------------------------------------------------------------

/// Numbers near 0, where the curve bends, numbers where the formulas differ, and some for which exp overflows.
Tensor numbers_for_gelu(Random& random, const Shape& shape) {
    Tensor x = random_tensor(random, shape) * 2.0F;
    const float far[] = {0, -2.3F, 2.3F, 12, -12, 95, -95, 10'000, -10'000};
    Index place = 0;
    for (const float one : far)
        if (place < x.numel()) x.data()[place++] = one;
    return x;
}

/// Of any rank: axes have numbers, and no names.
CheckedPart numbered_axes(const std::string& name, const Tensor& x) {
    CheckedPart part{name, Stage::none, {}};
    for (Index axis = 0; axis < x.rank(); ++axis) part.axes.push_back("axis " + std::to_string(axis));
    return part;
}

PROPERTY(Block, GeluIsTheFormulaThatIsAskedFor, 1, "gelu is x·Φ(x) or its approximation by tanh, as asked for") {
    const BlockSizes n = random_block_sizes(random);
    for (const std::string& formula : formulas) {
        const auto expect_gelu = [&](const Tensor& x) {
            expect_close(student, numbered_axes("activations", x),
                         student.tensor("gelu", {{"x", x}, {"formula", formula}}),
                         diagnosis::activated(Activation::right(), exact(x), formula));
        };
        expect_gelu(numbers_for_gelu(random, {n.B, n.T, n.F}));
        expect_gelu(numbers_for_gelu(random, {n.T, n.F}).transpose(0, 1));
        expect_gelu(strided(numbers_for_gelu(random, {n.F + 10})));
        expect_gelu(random_tensor(random, {n.B, 1, n.T, n.D}));
        expect_gelu(random_tensor(random, {}));
        expect_gelu(Tensor::of({4}, {1e20F, -1e20F, 1e30F, -1e30F}));  // the square and the cube overflow
    }
}

PROPERTY(Block, GeluBackwardIsItsDerivative, 1,
         "gelu_backward is grad_y times the derivative of the formula that is asked for") {
    const BlockSizes n = random_block_sizes(random);
    for (const std::string& formula : formulas) {
        const auto expect_slopes = [&](const Tensor& x, const Tensor& grad_y) {
            expect_close(student, numbered_axes("gradients of x", x),
                         student.tensor("gelu_backward", {{"x", x}, {"grad_y", grad_y}, {"formula", formula}}),
                         diagnosis::activated_backward(Activation::right(), exact(x), exact(grad_y), formula));
        };
        expect_slopes(numbers_for_gelu(random, {n.B, n.T, n.F}), random_tensor(random, {n.B, n.T, n.F}));
        expect_slopes(numbers_for_gelu(random, {n.T, n.F}).transpose(0, 1), random_tensor(random, {n.F, n.T}));
        expect_slopes(numbers_for_gelu(random, {n.F, n.F}), random_tensor(random, {n.F, n.F}).transpose(0, 1));
        expect_slopes(numbers_for_gelu(random, {n.T, n.F + 3}).slice(1, 0, n.F), random_tensor(random, {n.T, n.F}));
    }
}

void expect_mlp(Student& student, const MlpInputs& in) {
    const FunctionCall call{"mlp", in.forward()};
    expect_close_given(
        student, token_axes("output"), student.tensor(call.function, call.arguments),
        diagnosis::through_mlp(Activation::right(), in.weights(), exact(in.x), in.formula), {"gelu"},
        [&] { return mlp_from_own(student, call.arguments); }, computes(student, call));
}

/// Every field of a record, or what follows from the submission's own functions.
using Fields = std::vector<std::pair<std::string, const Array*>>;
void expect_fields(Student& student, const FunctionCall& call, const Fields& expected,
                   const std::vector<std::string>& functions, const std::function<NamedArrays()>& from_own) {
    const wire::Record given = student.record(call.function, call.arguments);
    const auto around = std::make_shared<Neighbourhood>(student, call);
    for (const auto& [name, right] : expected) {
        const auto follows = [&, &name = name]() -> std::optional<Array> {
            const NamedArrays all = from_own();
            return std::ranges::find(all, name, &NamedArrays::value_type::first)->second;
        };
        Needs needs{.numbers = {"grad_y"}};
        needs.linear_in = "grad_y";
        expect_close_given(student, gradient_axes(name, right->shape.size()), field<Tensor>(given, name), *right,
                           functions, follows, computes(around, name, needs));
    }
}

NamedArrays named(const diagnosis::MlpGradients& grad) {
    return {{"x", grad.x},
            {"w_in", grad.weights.w_in},
            {"b_in", grad.weights.b_in},
            {"w_out", grad.weights.w_out},
            {"b_out", grad.weights.b_out}};
}

Fields fields_of(const NamedArrays& all) {
    Fields fields;
    for (const auto& [name, array] : all) fields.emplace_back(name, &array);
    return fields;
}

void expect_mlp_gradients(Student& student, const MlpInputs& in) {
    const FunctionCall call{"mlp_backward", in.backward()};
    const NamedArrays expected = named(
        diagnosis::through_mlp_backward(Activation::right(), in.weights(), exact(in.x), exact(in.grad_y), in.formula));
    expect_fields(student, call, fields_of(expected), {"gelu", "gelu_backward"},
                  [&] { return named(mlp_backward_from_own(student, call.arguments)); });
}

PROPERTY(Block, TheMlpActivatesBetweenItsMaps, 1,
         "the MLP is gelu between two linear maps; on the way back every weight gets its gradient") {
    for (const std::string& formula : formulas) {
        const MlpInputs in(random, random_block_sizes(random), formula);
        expect_mlp(student, in);
        expect_mlp_gradients(student, in);
    }
    for_every_relation(student, random, "B T D F", [&](const AxisSizes& sizes, Random& own) {
        const MlpInputs in(own, {sizes["B"], sizes["T"], sizes["D"], sizes["F"]},
                           formulas[static_cast<std::size_t>(own.integer(0, 1))]);
        expect_mlp(student, in);
        expect_mlp_gradients(student, in);
    });
}

// ---- blocks ----------------------------------------------------------------------------------------------------

void expect_block(Student& student, const BlockInputs& in) {
    const FunctionCall call{"block_forward", in.forward()};
    const BlockArrays block = blocks_of(call.arguments).front();
    diagnosis::ModelBlocks right(BlockChoices::right());
    expect_close_given(
        student, token_axes("output"), student.tensor(call.function, call.arguments), right.forward(block, exact(in.x)),
        {"layer_norm", "mlp", "gelu"},
        [&] {
            OwnParts parts(student);
            return diagnosis::through_block(Wiring::right(), parts, block, exact(in.x));
        },
        computes(student, call, "", {.numbers = {"x"}}));
}

const std::vector<std::string> parts_of_backward{"layer_norm", "layer_norm_backward", "mlp", "mlp_backward",
                                                 "gelu",       "gelu_backward"};

void expect_block_gradients(Student& student, const BlockInputs& in) {
    const FunctionCall call{"block_backward", in.backward()};
    const BlockArrays block = blocks_of(call.arguments).front();
    diagnosis::ModelBlocks right(BlockChoices::right());
    const Array x = exact(in.x), grad_y = exact(in.grad_y);
    const NamedArrays expected = right.backward(block, x, grad_y);
    expect_fields(student, call, fields_of(expected), parts_of_backward, [&] {
        OwnParts parts(student);
        return diagnosis::through_block_backward(Wiring::right(), parts, block, x, grad_y);
    });
}

void expect_all_blocks(Student& student, Random& random, void (*expect)(Student&, const BlockInputs&)) {
    for (const BlockInputs& in : blocks_of_all_kinds(random)) expect(student, in);
    for_every_relation(student, random, "B T D F", [&](const AxisSizes& sizes, Random& own) {
        const BlockInputs in(own, {sizes["B"], sizes["T"], sizes["D"], sizes["F"]}, 0);
        for (const std::string& order : orders) expect(student, in.ordered(order));
    });
}

PROPERTY(Block, SublayersAreNormedAndAdded, 1,
         "each sub-layer has its own norm and its residual, before it or behind it as the order says") {
    expect_all_blocks(student, random, &expect_block);
}

PROPERTY(Block, GradientsTakeBothWays, 1,
         "gradients go through each sub-layer and past it; every weight of the block gets its own") {
    expect_all_blocks(student, random, &expect_block_gradients);
}

// ---- stacks ----------------------------------------------------------------------------------------------------

void expect_stack(Student& student, const BlockInputs& in) {
    const FunctionCall call{"stack_backward", in.backward()};
    const std::vector<BlockArrays> stack = blocks_of(call.arguments);
    const Array x = exact(in.x), grad_y = exact(in.grad_y);
    const NamedArrays expected = diagnosis::model_of_stack(BlockChoices::right(), stack, x, grad_y);
    std::vector<std::string> functions = parts_of_backward;
    functions.insert(functions.end(), {"block_forward", "block_backward"});
    expect_fields(student, call, fields_of(expected), functions, [&] {
        OwnBlocks own(student);
        return diagnosis::through_stack_backward(Wiring::right(), own, stack, x, grad_y);
    });
}

PROPERTY(Block, StacksKeepInputsAlone, 1,
         "through a stack every block gets its gradients; of the way forward only the inputs of blocks are kept") {
    // First: how often it calls and what it keeps is its own, also where its numbers are wrong because of others.
    for (const std::string& order : orders)
        expect_one_call_back(student, BlockInputs(random, {2, 3, 4, 5}, 0).ordered(order));
    expect_checkpoints(student, random, !session.sanitized);  // a sanitizer's own memory would be measured
    for (const std::string& order : orders) {
        const BlockSizes n = random_block_sizes(random);
        expect_stack(student, BlockInputs(random, n, 1).ordered(order));
        for (const Index L : {2, 4}) expect_stack(student, BlockInputs(random, n, L).ordered(order).calm());
    }
    expect_stack(student, BlockInputs(random, random_block_sizes(random), 3).ordered(mixed).calm());
}

// ---- what does not fit -----------------------------------------------------------------------------------------

/// What block_forward saw is nothing for block_backward to go by: tensors may hold other numbers by then. Right or
/// wrong, it answers as it does without block_forward before it.
/// @param step  which parameters a step of training changes, and how the student calls them
void expect_nothing_remembered(Student& student, const BlockInputs& in,
                               const std::pair<std::string, std::string>& step) {
    const wire::Record alone = student.record("block_backward", in.backward());
    Arguments arguments = in.backward();
    arguments.push_back({"step", step.first});
    const wire::Record after = student.record("block_backward_after_a_step", arguments);
    for (const wire::Field& part : alone.fields) {
        const auto before = own(field<Tensor>(alone, part.name));
        if (!difference(gradient_axes(part.name, before.shape.size()), field<Tensor>(after, part.name), before))
            continue;
        verdict::Failure failure;
        failure.kind = verdict::FailureKind::wrong_behaviour;
        failure.function = "block_backward";
        failure.message = "your block_backward answers for the numbers that block_forward saw before: " + step.second +
                          " hold others by now, as after a step of training. Compute the way forward once more.";
        fail(std::move(failure));
    }
}

PROPERTY(Block, MisfitsAreRefused, 1,
         "what does not fit is refused, strides change no answer; arguments and later calls are left alone") {
    const BlockSizes n = random_block_sizes(random);
    const NormInputs norm(random, n);
    const MlpInputs mlp(random, n, "tanh");
    const BlockInputs one(random, n, 0), three(random, n, 3);
    // First: what is remembered may show in other ways too, as chance has it, and these words say what it is.
    for (const std::string& order : orders)
        for (const auto& step : {std::pair<std::string, std::string>{"early", "x, w_in and norm1's gain"},
                                 {"norm2", "norm2's gain and bias"},
                                 {"late", "b_in, w_out and b_out"}})
            expect_nothing_remembered(student, one.ordered(order), step);
    expect_untouched(student, {{"layer_norm", norm.forward(Kind::layer)},
                               {"rms_norm", norm.forward(Kind::rms)},
                               {"layer_norm_backward", norm.backward()},
                               {"rms_norm_backward", norm.backward()},
                               {"gelu", {{"x", mlp.x}, {"formula", mlp.formula}}},
                               {"gelu_backward", {{"x", mlp.x}, {"grad_y", mlp.grad_y}, {"formula", mlp.formula}}},
                               {"mlp", mlp.forward()},
                               {"mlp_backward", mlp.backward()},
                               {"block_forward", one.forward()},
                               {"block_backward", one.backward()},
                               {"stack_backward", three.backward()}});
    expect_same_if_repeated(student, {"mlp", mlp.forward()}, "x", 0);
    for (const std::string& order : orders) expect_what_attention_returns_left_alone(student, one.ordered(order));
    expect_norms_checked(student, random, n);
    expect_mlps_checked(student, random, n);
    expect_blocks_checked(student, random, n);
}

}  // namespace
}  // namespace headway::judge
