// Hidden tests of exercise 07.   B batch · H heads · T queries · S keys · d head_dim · d_v value width · D embed_dim
#include "suites/07_backward/inputs.hpp"
#include "suites/07_backward/own_parts.hpp"

#include "student/hidden_test.hpp"

#include <algorithm>
#include <cmath>

namespace headway::judge {
namespace {

using namespace backward;  // what several files of this suite share

using reference::Array;
using reference::exact;
using reference::to_tensor;

HIDDEN_SUITE(Backward);

CheckedPart scores_axes() { return {"gradients of the scores", Stage::softmax, {"b", "h", "query", "key"}}; }

CheckedPart heads_axes(const std::string& name, Stage stage) {
    return {"gradients of " + name, stage, {"b", "h", name == "q" ? "query" : "key", "feature"}};
}

CheckedPart linear_axes(const std::string& name, std::size_t rank) {
    const std::vector<std::string> axes = rank == 3   ? std::vector<std::string>{"b", "token", "feature"}
                                          : rank == 2 ? std::vector<std::string>{"out", "in"}
                                                      : std::vector<std::string>{"out"};
    return {"gradients of " + name, Stage::project, axes};
}

/// What q and k get from the student's own softmax_backward.
std::optional<reference::AttentionGradients> from_own_softmax(Student& student, const Inputs& in, const Mask& mask) {
    const Array weights = in.weights(mask);
    const Array grad_weights = reference::matmul(exact(in.grad_context), reference::transpose(exact(in.v), -2, -1));
    const Outcome outcome = student.outcome(
        "softmax_backward", {{"weights", to_tensor(weights)}, {"grad_weights", to_tensor(grad_weights)}});
    const auto* scores = std::get_if<Tensor>(&outcome.value);
    if (scores == nullptr || scores->shape() != weights.shape) return std::nullopt;
    return reference::attention_backward(exact(in.q), exact(in.k), weights, own(*scores), exact(in.grad_context));
}

/// The gradients of q and k, or what follows from the student's own softmax_backward.
void expect_queries_and_keys(Student& student, const Inputs& in, const Needs& needs = {}) {
    const Mask mask;
    const FunctionCall call{"attention_backward", in.with(mask)};
    const wire::Record given = student.record(call.function, call.arguments);
    const auto around = std::make_shared<Neighbourhood>(student, call);
    const auto expected = in.expected(mask);
    for (const auto& [name, right] : {std::pair<std::string, const Array*>{"q", &expected.q}, {"k", &expected.k}}) {
        const auto from_own = [&, is_q = name == "q"] {
            const auto follows = from_own_softmax(student, in, mask);
            return follows ? std::optional(is_q ? follows->q : follows->k) : std::nullopt;
        };
        expect_close_given(student, heads_axes(name, Stage::scores), field(given, name), *right, {"softmax_backward"},
                           from_own, computes(around, name, needs));
    }
}

/// With the weights that `scores` have under this mask.
void expect_scores(Student& student, const Tensor& scores, const Mask& mask, const Tensor& grad) {
    const Tensor weights = to_tensor(reference::masked_softmax(exact(scores), mask));
    expect_close(student, scores_axes(),
                 student.tensor("softmax_backward", {{"weights", weights}, {"grad_weights", grad}}),
                 reference::softmax_backward(exact(weights), exact(grad)));
}

PROPERTY(Backward, SoftmaxCouplesTheKeysOfARow, 2,
         "through softmax, a score's gradient is weight · (gradient - its mean over the row)") {
    for (int round = 0; round < 2; ++round) {
        const Sizes n = random_sizes(random);
        const Mask mask = round == 0 ? Mask{} : random_mask(random, {n.T, n.S});
        const Tensor scores = random_tensor(random, {n.B, n.H, n.T, n.S});
        expect_scores(student, scores, mask, random_tensor(random, {n.B, n.T, n.H, n.S}).transpose(1, 2) + 1.0F);
    }
    // A row of zeros is asked here, and never below: what is wrong in it is not wrong for some sizes.
    const Sizes few = random_sizes(random);
    const Shape small{few.B, few.H, few.T, few.S};
    for_every_mask(student, random, small, [&](const Mask& mask, Random& own) {
        const Tensor scores = random_tensor(own, small);
        expect_scores(student, scores, mask, random_tensor(own, small));
    });
    for_every_relation(student, random, "B H T S", [&](const AxisSizes& n, Random& own) {
        const Shape shape{n["B"], n["H"], n["T"], n["S"]};
        const Tensor scores = random_tensor(own, shape);
        const Mask mask = random_mask(own, shape);  // leaves each query a key
        expect_scores(student, scores, mask, with_zeros(random_tensor(own, shape)));
    });
}

PROPERTY(Backward, ValuesGetWhatTheirWeightsCarried, 1, "the gradient of v is weightsᵀ · the gradient of the context") {
    for (int round = 0; round < 2; ++round) {
        const Inputs in(random, random_sizes(random));
        const wire::Record given = student.record("attention_backward", in.with(Mask{}));
        expect_close(student, heads_axes("v", Stage::weigh), field(given, "v"), in.expected(Mask{}).v);
    }
    for_every_relation(student, random, "B H T S d d_v", [&](const AxisSizes& n, Random& own) {
        const Inputs in(own, n.sizes());
        const wire::Record given = student.record("attention_backward", in.with(Mask{}));
        expect_close(student, heads_axes("v", Stage::weigh), field(given, "v"), in.expected(Mask{}).v);
    });
}

STATES(Backward, QueriesAndKeysGetScaledGradients, "gradient_scale", "gradient_of_q_and_k");
PROPERTY(Backward, QueriesAndKeysGetScaledGradients, 2,
         "the gradients of q and k come from the scores', divided by √head_dim as the scores were") {
    for (int round = 0; round < 2; ++round) expect_queries_and_keys(student, Inputs(random, random_sizes(random)));
    // Code that computes the weights anew must take care of softmax's overflow once more.
    expect_queries_and_keys(student, Inputs(random, random_sizes(random)).with_large_scores(), {.parts = false});
    expect_queries_and_keys(student, Inputs(random, random_sizes(random)).with_low_scores(-1000), {.parts = false});
    for_every_relation(student, random, "B H T S d d_v", [&](const AxisSizes& n, Random& own) {
        expect_queries_and_keys(student, Inputs(own, n.sizes()));
    });
}

void expect_masked(Student& student, const Inputs& in, const Mask& mask) {
    const wire::Record given = student.record("attention_backward", in.with(mask));
    const auto around = std::make_shared<Neighbourhood>(student, FunctionCall{"attention_backward", in.with(mask)});
    const auto expected = in.expected(mask);
    for (const auto& [name, right] :
         {std::pair<std::string, const Array*>{"q", &expected.q}, {"k", &expected.k}, {"v", &expected.v}}) {
        const auto failure = what_is_wrong(student, heads_axes(name, Stage::mask), field(given, name), *right);
        if (!failure) continue;
        // Wrong without a mask too? Then it is not the mask.
        const Outcome unmasked =
            student.outside_story([&] { return student.outcome("attention_backward", in.with(Mask{})); });
        const auto* record = std::get_if<wire::Record>(&unmasked.value);
        const auto plain = in.expected(Mask{});
        const Array& plain_right = name == "q" ? plain.q : name == "k" ? plain.k : plain.v;
        if (record == nullptr || !difference(heads_axes(name, Stage::mask), field(*record, name), plain_right))
            fail(*failure);
        pass_on_credit(student, {"attention_backward", "softmax_backward"}, *failure, *right,
                       computes(around, name, {.mask = true, .linear_in = "grad_context"}));
    }
}

STATES(Backward, BlockedKeysGetNoGradient, "mask");
PROPERTY(Backward, BlockedKeysGetNoGradient, 1, "blocked keys get no gradient, and a query that sees none gives none") {
    const Inputs in(random, random_sizes(random));
    const Sizes& n = in.n;
    Mask last_key = Mask::allow_all({n.S});
    last_key(n.S - 1) = true;
    for (const Mask& mask : {reference::causal_mask(n.T, n.S), random_mask(random, {n.B, n.H, n.T, n.S}), last_key,
                             Mask::block_all({n.T, 1})})
        expect_masked(student, in, mask);
    Sizes one_key = n;
    one_key.S = 1;
    Mask first_queries = Mask::allow_all({n.T, 1});
    first_queries(0, 0) = first_queries(1, 0) = true;
    expect_masked(student, Inputs(random, one_key), first_queries);
    expect_masked(student, Inputs(random, n).with_low_scores(low_score), random_mask(random, {n.T, n.S}));
    for_every_mask(student, random, {n.B, n.H, n.T, n.S},
                   [&](const Mask& mask, Random& own) { expect_masked(student, Inputs(own, n), mask); });
    for_every_relation(student, random, "B H T S d d_v", [&](const AxisSizes& sizes, Random& own) {
        const Mask mask = mask_of_any_form(own, {sizes["B"], sizes["H"], sizes["T"], sizes["S"]});
        expect_masked(student, Inputs(own, sizes.sizes()), mask);
    });
}

void expect_linear(Student& student, const LinearInputs& in) {
    const wire::Record given = student.record("linear_backward", in.arguments());
    const auto expected = in.expected();
    expect_close(student, linear_axes("x", 3), field(given, "x"), expected.x);
    expect_close(student, linear_axes("weight", 2), field(given, "weight"), expected.weight);
    expect_close(student, linear_axes("bias", 1), field(given, "bias"), expected.bias);
}

PROPERTY(Backward, LinearSumsOverEveryToken, 1,
         "a Linear gives x its gradient, and its weight and bias the sum over all tokens of all sequences") {
    for (int round = 0; round < 2; ++round) {
        LinearInputs in(random, random_sizes(random), false);
        expect_linear(student, in);
        // As a sum hands it on: every token has the same gradient, in one storage (stride 0).
        in.grad_y = random_tensor(random, {in.weight.size(0)}).expand(in.grad_y.shape());
        expect_linear(student, in);
    }
    for_every_relation(student, random, "B T in out", [&](const AxisSizes& n, Random& own) {
        expect_linear(student, LinearInputs(own, {n["B"], 1, n["T"], n["in"], n["out"], 1}, false));
    });
}

void expect_added(Student& student, const LinearInputs& in) {
    const wire::Record given = student.record("linear_backward", in.arguments());
    for (const char* name : {"weight", "bias"}) {
        const auto expected = in.expected();
        const Array& right = std::string(name) == "bias" ? expected.bias : expected.weight;
        const CheckedPart part = linear_axes(name, right.shape.size());
        const auto failure = what_is_wrong(student, part, field(given, name), right);
        if (!failure) continue;
        // What is wrong from zero on too is another test's business.
        LinearInputs fresh = in;
        fresh.grad_weight = Tensor::zeros(in.grad_weight.shape());
        fresh.grad_bias = Tensor::zeros(in.grad_bias.shape());
        const wire::Record from_zero = student.record("linear_backward", fresh.arguments());
        const auto plain = fresh.expected();
        const Array& plain_right = std::string(name) == "bias" ? plain.bias : plain.weight;
        if (!difference(part, field(from_zero, name), plain_right)) fail(*failure);
        Needs needs{.numbers = std::string(name) == "bias" ? std::vector<std::string>{"grad_y", "grad_bias"}
                                                           : std::vector<std::string>{"x", "grad_y", "grad_weight"}};
        needs.linear_in = "grad_y";
        pass_on_credit(student, {"linear_backward"}, *failure, right,
                       computes(student, {"linear_backward", in.arguments()}, name, needs));
    }
}

STATES(Backward, GradientsAreAddedUp, "gradients_added");
PROPERTY(Backward, GradientsAreAddedUp, 1, "gradients of parameters are added to what is there") {
    expect_added(student, LinearInputs(random, random_sizes(random), true));
    for_every_relation(student, random, "B T in out", [&](const AxisSizes& n, Random& own) {
        expect_added(student, LinearInputs(own, {n["B"], 1, n["T"], n["in"], n["out"], 1}, true));
    });
    expect_both_added_to_one(student, ModuleInputs(random, random_sizes(random), 1.0F));
}

/// The gradients of x and of every parameter, or what follows from the student's own attention_backward and
/// linear_backward.
void expect_module(Student& student, const ModuleInputs& in, const Mask& mask) {
    const FunctionCall call{"multi_head_attention_backward", in.with(mask)};
    const wire::Record given = student.record(call.function, call.arguments);
    // That it computes shows where grad_y is no view, too: what reads views wrong may be linear_backward.
    ModuleInputs dense = in;
    dense.grad_y = in.grad_y.contiguous();
    const auto around = std::make_shared<Neighbourhood>(student, FunctionCall{call.function, dense.with(mask)});
    for (const auto& [name, right] : in.expected(mask)) {
        const auto part = linear_axes(name, right.shape.size());
        const auto from_own = [&, &name = name]() -> std::optional<Array> {
            std::optional<Array> found;
            for (const PassedOn passed_on : {PassedOn::in_new_tensors, PassedOn::as_given}) {
                const auto all = from_own_parts(student, call.arguments, passed_on);
                if (!all) return std::nullopt;
                found = std::ranges::find_if(*all, [&](const auto& one) { return one.first == name; })->second;
                if (!difference(part, field(given, name), *found)) break;
            }
            return found;
        };
        // What the output adds has the gradient of the output, whatever came before. What v adds is weighed by weights
        // whose sum is 1, whatever x is.
        Needs needs{.numbers = {"grad_y"}};
        if (name == "v_bias") needs = {.numbers = {"parameters", "grad_y"}};
        if (name != "out_bias" && name != "v_bias")
            needs = {.numbers = {"x", "parameters", "grad_y"}, .mask = mask.defined()};
        needs.linear_in = "grad_y";
        expect_close_given(student, part, field(given, name), right,
                           {"attention_backward", "linear_backward", "softmax_backward"}, from_own,
                           computes(around, name, needs));
    }
}

/// Large scores overflow nothing, if attention_backward takes them: else another test says so.
void expect_module_with_large_scores(Student& student, ModuleInputs in, const Mask& mask) {
    for (wire::Field& part : in.parameters.fields)
        if (part.name == "q_weight") part.value = std::get<Tensor>(part.value) * 300.0F;
    const auto all_finite = [](const auto& part) {
        return std::ranges::all_of(part.second.value, [](double number) { return std::isfinite(number); });
    };
    const auto own_parts = student.outside_story([&] { return from_own_parts(student, in.with(mask)); });
    if (own_parts && std::ranges::all_of(*own_parts, all_finite)) expect_module(student, in, mask);
}

STATES(Backward, TheModuleReachesEveryParameter, "gradient_paths", "gradient_heads", "gradient_of_output");
PROPERTY(Backward, TheModuleReachesEveryParameter, 1,
         "through the module, x gets three gradients, and every weight and bias its own") {
    for (const float holding : {0.0F, 2.0F}) {
        const ModuleInputs in(random, random_sizes(random), holding);
        for (const Mask& mask : {Mask{}, reference::causal_mask(in.n.T, in.n.T)}) expect_module(student, in, mask);
    }
    const ModuleInputs in(random, random_sizes(random), 1.0F);
    for (const Mask& mask : {Mask{}, random_mask(random, {in.n.T, in.n.T})})
        expect_module_with_large_scores(student, in, mask);
    for_every_relation(student, random, "B H T d D=H*d", [&](const AxisSizes& n, Random& own) {
        const Mask mask = mask_of_any_form(own, {n["B"], n["H"], n["T"], n["T"]});
        expect_module(student, ModuleInputs(own, n.sizes(), 1.0F), mask);
    });
}

/// Each parameter one larger along each axis; but for the bias of the output, which nothing on the way back depends on.
/// A gradient that is larger than what is added to it may be let through.
void expect_parameters_checked(Student& student, Random& random, const ModuleInputs& module) {
    const Arguments fits = module.with(Mask{});
    constexpr std::size_t parameters = 1;
    const auto& record = std::get<wire::Record>(fits[parameters].value);
    for (std::size_t f = 0; f < record.fields.size(); ++f) {
        if (record.fields[f].name == "out_bias") continue;
        const Shape shape = std::get<Tensor>(record.fields[f].value).shape();
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            Shape larger = shape;
            ++larger[axis];
            Arguments arguments = fits;
            std::get<wire::Record>(arguments[parameters].value).fields[f].value = random_tensor(random, larger);
            student.refuses_index("multi_head_attention_backward", arguments,
                                  record.fields[f].name + " is " + headway::to_string(larger) + " where " +
                                      headway::to_string(shape) + " would fit");
        }
    }
}

PROPERTY(Backward, CallsAreCleanAndShapesChecked, 1,
         "shapes that do not fit are refused, strides change no answer; arguments and later calls are left alone") {
    const Inputs in(random, random_sizes(random));
    const Sizes& n = in.n;
    const LinearInputs linear(random, n, true);
    const ModuleInputs module(random, n, 1.0F);
    const Tensor weights = to_tensor(in.weights(Mask{}));
    expect_untouched(student, {{"softmax_backward", {{"weights", weights}, {"grad_weights", weights * 2.0F}}},
                               {"attention_backward", in.with(random_mask(random, {n.T, n.S}))},
                               {"linear_backward", linear.arguments()},
                               {"multi_head_attention_backward", module.with(random_mask(random, {n.T, n.T}))}});
    expect_same_if_repeated(student, {"attention_backward", in.with(Mask{})}, "k", 1);
    student.refuses("softmax_backward",
                    {{"weights", weights}, {"grad_weights", random_tensor(random, {n.B, n.H, n.T, n.S + 1})}},
                    "there are more gradients than weights");
    Arguments wide = in.with(Mask{});
    wide[4].value = random_tensor(random, {n.B, n.H, n.T, n.d_v + 1});
    student.refuses("attention_backward", wide, "the gradient of the context is wider than v");
    Arguments longer = linear.arguments();
    longer[2].value = random_tensor(random, {n.B, n.T + 1, n.d});
    student.refuses("linear_backward", longer, "grad_y has more tokens than x");
    Arguments narrow = linear.arguments();
    narrow[0].value = random_tensor(random, {n.B, n.T, n.S - 1});
    student.refuses("linear_backward", narrow, "x is narrower than the weight");
    Arguments uneven = module.with(Mask{});
    uneven[2].value = n.D() + 1;
    student.refuses("multi_head_attention_backward", uneven, "D is not divisible by num_heads");
    Arguments flat = module.with(Mask{});
    flat[0].value = module.x.select(0, 1);
    student.refuses_index("multi_head_attention_backward", flat, "x must be of shape (B, T, D)");
    refuses_uneven_heads(student, random, "multi_head_attention_backward", module.with(Mask{}), n.D());
    refuses_misfits(student, random, "softmax_backward", {{"weights", weights}, {"grad_weights", weights * 2.0F}},
                    "weights: B H T S, grad_weights: B H T S", Broadcast::may_pass);
    refuses_misfits(student, random, "attention_backward", in.with(Mask{}),
                    "q: B H T d, k: B H S d, v: B H S d_v, grad_context: B H T d_v", Broadcast::may_pass);
    refuses_misfits(student, random, "linear_backward", linear.arguments(),
                    "x: B T in, weight: out in, grad_y: B T out", Broadcast::may_pass);
    expect_parameters_checked(student, random, module);
    refuses_masks(student, random, {n.B, n.H, n.T, n.S}, "attention_backward",
                  [&](const Mask& mask) { return in.with(mask); });
}

}  // namespace
}  // namespace headway::judge
