#include "suites/05_module/attention_object.hpp"
#include "student/record_field.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <variant>

namespace headway::judge {
namespace {

using reference::Array;
using reference::exact;

wire::Handle made(Student& student, const ObjectOptions& options, Otherwise otherwise) {
    const Arguments arguments{{"options", options.record()}};
    if (otherwise == Otherwise::test_fails) {
        student.test_record().waits_for = {"make_multi_head_attention"};  // which no property of the module is about
        const wire::Handle module = student.keep("make_multi_head_attention", arguments);
        student.test_record().waits_for.clear();
        return module;
    }
    const Outcome outcome = student.outcome("make_multi_head_attention", arguments);
    const auto* handle = std::get_if<wire::Handle>(&outcome.value);
    if (outcome.error || handle == nullptr) throw NotJudged{};
    return *handle;
}

}  // namespace

ObjectOptions ObjectOptions::seeded(Index other) const {
    ObjectOptions options = *this;
    options.seed = other;
    return options;
}

wire::Record ObjectOptions::record() const {
    wire::Record record{{{"embed_dim", D}, {"num_heads", H}, {"bias", bias}, {"causal", causal}}};
    if (head_dim) record.fields.push_back({"head_dim", *head_dim});
    if (dropout != 0) record.fields.push_back({"dropout", dropout});
    record.fields.push_back({"seed", seed});
    return record;
}

ObjectOptions ObjectOptions::from(const wire::Record& record) {
    ObjectOptions options;
    options.D = field<Index>(record, "embed_dim");
    options.H = field<Index>(record, "num_heads");
    options.bias = field<bool>(record, "bias");
    options.causal = field<bool>(record, "causal");
    if (const auto* entry = record.find("head_dim")) options.head_dim = std::get<Index>(entry->value);
    if (const auto* entry = record.find("dropout")) options.dropout = std::get<double>(entry->value);
    if (const auto* entry = record.find("seed")) options.seed = std::get<Index>(entry->value);
    return options;
}

NamedShapes specified(const ObjectOptions& options) {
    NamedShapes parameters;
    for (const auto& [name, weight] : NamedShapes{{"q_proj", {options.E(), options.D}},
                                                  {"k_proj", {options.E(), options.D}},
                                                  {"v_proj", {options.E(), options.D}},
                                                  {"out_proj", {options.D, options.E()}}}) {
        parameters.emplace_back(name + ".weight", weight);
        if (options.bias) parameters.emplace_back(name + ".bias", Shape{weight[0]});
    }
    return parameters;
}

wire::Record random_state(Random& random, const ObjectOptions& options) {
    wire::Record state;
    const float scale = 1.5F / std::sqrt(static_cast<float>(options.D));
    for (const auto& [name, shape] : specified(options)) {
        const bool is_bias = shape.size() == 1;
        state.fields.push_back(
            {name, is_bias ? random_tensor(random, shape) + 0.5F : random_tensor(random, shape) * scale});
    }
    return state;
}

Question random_question(Random& random, const Sizes& n, Index S) {
    return {random_tensor(random, {n.B, n.T, n.D()}), random_tensor(random, {n.B, S, n.D()}),
            random_tensor(random, {n.B, S, n.D()}), Mask{}};
}

Question in_views(Random& random, Question question) {
    const Shape shape = question.query.shape();
    question.query = random_tensor(random, {shape[1], shape[0], shape[2]}).transpose(0, 1);
    question.key = strided(question.key);
    return question;
}

AttentionObject::AttentionObject(Student& student, const ObjectOptions& options, Otherwise otherwise)
    : student_(student), options_(options), otherwise_(otherwise), handle_(made(student, options, otherwise)) {}

Arguments AttentionObject::arguments(const Question& question) const {
    return {
        self(), {"query", question.query}, {"key", question.key}, {"value", question.value}, {"mask", question.mask}};
}

Arguments AttentionObject::weights_arguments(const Question& question) const {
    return {self(), {"query", question.query}, {"key", question.key}, {"mask", question.mask}};
}

Outcome AttentionObject::outcome(const std::string& function, const Question& question) {
    return student_.outcome(function, function == "forward" ? arguments(question) : weights_arguments(question));
}

Tensor AttentionObject::forward(const Question& question) {
    if (otherwise_ == Otherwise::test_fails) return student_.tensor("forward", arguments(question));
    const Outcome answer = outcome("forward", question);
    const auto* output = std::get_if<Tensor>(&answer.value);
    if (output == nullptr || !output->defined()) throw NotJudged{};
    return *output;
}

Tensor AttentionObject::forward_of(const Tensor& x, const Mask& mask) {
    const wire::Handle kept = student_.store(x);
    return student_.tensor(
        "forward", {self(), {"query", kept}, {"key (the same)", kept}, {"value (the same)", kept}, {"mask", mask}});
}

Tensor AttentionObject::first_of_two(const Question& first, const Question& second) {
    const wire::Handle kept = student_.keep("forward", arguments(first));
    forward(second);
    return student_.read(kept);
}

Tensor AttentionObject::attention_weights(const Question& question) {
    return student_.tensor("attention_weights", weights_arguments(question));
}

void AttentionObject::train() { student_.run("train", {self()}); }
void AttentionObject::eval() { student_.run("eval", {self()}); }

std::optional<bool> AttentionObject::is_training() {
    const Outcome answer = student_.outside_story([&] { return student_.outcome("is_training", {self()}); });
    const auto* mode = std::get_if<bool>(&answer.value);
    return mode == nullptr ? std::nullopt : std::optional(*mode);
}

void AttentionObject::expect_mode_stays(const Question& question) {
    for (const std::string function : {"attention_weights", "forward"})
        for (const bool training : {true, false}) {
            if (training)
                train();
            else
                eval();
            outcome(function, question);
            expect(is_training().value_or(training) == training, Stage::state,
                   "your " + function + " leaves the module in " + (training ? "eval" : "training") +
                       " mode, which was in " + (training ? "training" : "eval") + " before: ask is_training()");
        }
}

wire::Record AttentionObject::state() { return student_.record("state_dict", {self()}); }

void AttentionObject::load(const wire::Record& state) {
    const Arguments arguments{self(), {"state", state}};
    if (otherwise_ == Otherwise::test_fails)
        student_.run("load_state_dict", arguments);
    else if (student_.outcome("load_state_dict", arguments).error)
        throw NotJudged{};
    loaded_ = state;
}

void AttentionObject::refuses_state(const wire::Record& state, const std::string& because) {
    student_.refuses("load_state_dict", {self(), {"state", state}}, because);
}

void AttentionObject::expect_parameters() {
    const wire::Record actual = student_.record("named_parameters", {self()});
    const NamedShapes wanted = specified(options_);
    Index count = 0;
    for (const auto& [name, shape] : wanted) {
        const wire::Field* field = actual.find(name);
        expect(field != nullptr, Stage::project,
               "there is no parameter " + name + "; are all four nn::Linear registered?");
        expect_shape({"parameter " + name, Stage::project, {}}, value_of<Tensor>(*field).shape(), shape);
        count += Layout::contiguous(shape).numel();
    }
    for (const wire::Field& field : actual.fields)
        expect(std::any_of(wanted.begin(), wanted.end(), [&](const auto& entry) { return entry.first == field.name; }),
               Stage::project, "there is a parameter that should not be: " + field.name);
    expect(actual.fields.size() == wanted.size(), Stage::project,
           "there should be " + std::to_string(wanted.size()) + " parameters with " + std::to_string(count) +
               " numbers, not " + std::to_string(actual.fields.size()));
    shown(student_);
}

void AttentionObject::expect_first_numbers_of_each() {
    wire::Record weights = student_.record("named_parameters", {self()});
    std::erase_if(weights.fields, [](const wire::Field& field) { return !field.name.ends_with(".weight"); });
    for (const wire::Field& field : weights.fields)
        for (const wire::Field* other = weights.fields.data(); other != &field; ++other) {
            const Tensor a = value_of<Tensor>(*other), b = value_of<Tensor>(field);
            expect(a.shape() != b.shape() || exact(a).value != exact(b).value, Stage::project,
                   other->name + " and " + field.name +
                       " begin with the same numbers; each nn::Linear should have first numbers of its own");
        }
}

void AttentionObject::expect_state(const wire::Record& expected) {
    const wire::Record actual = state();
    for (const wire::Field& field : expected.fields) {
        const wire::Field* found = actual.find(field.name);
        expect(found != nullptr, Stage::project, "the state dict lacks " + field.name);
        expect_close(student_, {"numbers of " + field.name, Stage::project, {"row", "column"}},
                     value_of<Tensor>(*found), exact(value_of<Tensor>(field)));
    }
}

Array AttentionObject::projected(const std::string& name, const Tensor& x) const {
    const Array weight = exact(field<Tensor>(loaded_, name + ".weight"));
    const Array product = reference::matmul(exact(x), reference::transpose(weight, 0, 1));
    const wire::Field* bias = loaded_.find(name + ".bias");
    return bias == nullptr ? product : reference::add(product, exact(value_of<Tensor>(*bias)));
}

Mask AttentionObject::whole_mask(const Question& question) const {
    if (!options_.causal) return question.mask;
    return question.mask | reference::causal_mask(question.query.size(1), question.key.size(1));
}

Array AttentionObject::expected_weights(const Question& question) const {
    const Array q = reference::split_heads(projected("q_proj", question.query), options_.H);
    const Array k = reference::split_heads(projected("k_proj", question.key), options_.H);
    return reference::masked_softmax(reference::scores(q, k), whole_mask(question));
}

Array AttentionObject::output_from(const Array& weights, const Question& question) const {
    const Array v = reference::split_heads(projected("v_proj", question.value), options_.H);
    const Array merged = reference::merge_heads(reference::matmul(weights, v));
    const Array w_o = exact(field<Tensor>(loaded_, "out_proj.weight"));
    const Array product = reference::matmul(merged, reference::transpose(w_o, 0, 1));
    const wire::Field* bias = loaded_.find("out_proj.bias");
    return bias == nullptr ? product : reference::add(product, exact(value_of<Tensor>(*bias)));
}

std::vector<double> AttentionObject::output_bias() const {
    const wire::Field* bias = loaded_.find("out_proj.bias");
    return bias == nullptr ? std::vector<double>{} : exact(value_of<Tensor>(*bias)).value;
}

Array AttentionObject::expected_output(const Question& question) const {
    return output_from(expected_weights(question), question);
}

Evidence AttentionObject::computes_forward(const Question& question) {
    return with_weights(computes(student_, {"forward", arguments(question)}, "", {.linear_in = "value"}), question);
}

/// Of the weights as of the inputs: the answer changes with all but one.
Evidence AttentionObject::with_weights(const Evidence& of_inputs, const Question& question) {
    const auto is_bias = [](const wire::Field& field) { return field.name.ends_with(".bias"); };
    wire::Record weights = loaded_, biases = loaded_;
    std::erase_if(weights.fields, is_bias);
    std::erase_if(biases.fields, std::not_fn(is_bias));
    const Numbers ask = [this, question, biases](const Arguments& asked) -> std::vector<double> {
        wire::Record state{asked};
        state.fields.insert(state.fields.end(), biases.fields.begin(), biases.fields.end());
        student_.outcome("load_state_dict", {self(), {"state", state}});
        const Outcome outcome = student_.outcome("forward", arguments(question));
        student_.outcome("load_state_dict", {self(), {"state", loaded_}});
        const auto* tensor = std::get_if<Tensor>(&outcome.value);
        return tensor == nullptr || !tensor->defined() ? std::vector<double>{} : exact(*tensor).value;
    };
    return [of_inputs, uses_weights = computes(student_, "forward, of its weights", ask, weights.fields)](
               const Array& expected) { return of_inputs(expected) && uses_weights(expected); };
}

Evidence AttentionObject::computes_what_is_asked_for(const Question& question) {
    const Evidence looks = with_weights(
        computes(student_, {"forward", arguments(question)}, "", {.mask = true, .linear_in = "value"}), question);
    return [this, question, looks](const Array& expected) { return looks(expected) && keeps_future_out(question); };
}

bool AttentionObject::keeps_future_out(const Question& question) {
    if (!options_.causal) return true;
    const auto answer = [&](const Question& asked) {
        const Outcome outcome = student_.outcome("forward", arguments(asked));
        const auto* tensor = std::get_if<Tensor>(&outcome.value);
        return tensor == nullptr ? Tensor{} : *tensor;
    };
    const Index T = question.query.size(1), last = question.key.size(1) - 1;
    const Mask blocked = reference::causal_mask(T, last + 1);
    Index first_to_see = 0;
    while (first_to_see < T && blocked(first_to_see, last)) ++first_to_see;
    Question other = question;
    for (Tensor* tensor : {&other.key, &other.value}) {
        *tensor = tensor->clone();
        tensor->select(1, last) *= -0.5F;
    }
    const Tensor before = answer(question), after = answer(other);
    if (!before.defined() || before.shape() != question.query.shape() || !after.defined() ||
        after.shape() != before.shape())
        return false;
    const Tensor past = before.slice(1, 0, first_to_see);
    return !difference({"outputs", Stage::mask, {}}, after.slice(1, 0, first_to_see), own(past));
}

Shape AttentionObject::weights_shape(const Question& question) const {
    return {question.query.size(0), options_.H, question.query.size(1), question.key.size(1)};
}

bool is_wrong_without_it(AttentionObject& object, const Tensor& x, const verdict::Failure& failure,
                         const Array& expected, const Evidence& evidence) {
    const Question plain{x, x, x, Mask{}};
    const CheckedPart part{"outputs", Stage::output, {"b", "token", "feature"}};
    const Tensor output = object.student().outside_story([&] { return object.forward(plain); });
    const bool right = !difference(part, output, object.expected_output(plain));
    if (!right) pass_on_credit(object.student(), {"forward", "attention_weights"}, failure, expected, evidence);
    return !right;
}

wire::Record without_last(wire::Record state) {
    state.fields.pop_back();
    return state;
}

wire::Record without_first(wire::Record state) {
    state.fields.erase(state.fields.begin());
    return state;
}

wire::Record with_extra(wire::Record state) {
    state.fields.push_back({"rope.weight", Tensor::ones({3})});
    return state;
}

wire::Record with_wrong_shape(wire::Record state) {
    state.fields.front().value = Tensor::ones({3, 5});
    return state;
}

}  // namespace headway::judge
