#include "suites/05_module/asked_module.hpp"
#include "student/record_field.hpp"
#include "student/repeated.hpp"

#include <algorithm>

namespace headway::diagnosis {

using judge::Arguments;
using judge::AttentionObject;
using judge::NamedShapes;
using judge::NotJudged;
using judge::ObjectOptions;
using judge::Otherwise;
using judge::Outcome;
using judge::specified;
using judge::Student;

namespace {

/// "(3E, D)", or nothing where a size is none of the module's.
std::string in_symbols(const Shape& shape, const ObjectOptions& asking) {
    std::string symbols;
    for (const Index size : shape) {
        const std::pair<const char*, Index> known[] = {
            {"E", asking.E()}, {"D", asking.D}, {"3E", 3 * asking.E()}, {"d", asking.d()}};
        const auto* found =
            std::find_if(std::begin(known), std::end(known), [&](const auto& one) { return one.second == size; });
        if (found == std::end(known)) return {};
        symbols += (symbols.empty() ? " (" : ", ") + std::string(found->first);
    }
    return symbols + ")";
}

Answer refusal(const Outcome& outcome) {
    return outcome.error ? answer_of(outcome) : Answer::without_value(Answer::Kind::done);
}

NamedShapes shapes_of(const wire::Record& record) {
    NamedShapes shapes;
    for (const wire::Field& field : record.fields)
        if (const auto* tensor = std::get_if<Tensor>(&field.value)) shapes.emplace_back(field.name, tensor->shape());
    return shapes;
}

bool hold_the_same(const wire::Record& parameters, const std::vector<std::string>& names) {
    const wire::Field* first = parameters.find(names.front());
    return first != nullptr && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
               const wire::Field* field = parameters.find(name);
               return field != nullptr &&
                      same_numbers(judge::value_of<Tensor>(*field), judge::value_of<Tensor>(*first));
           });
}

/// The parameters after numbers were loaded that differ from parameter to parameter: first numbers that are the same
/// may have been drawn alike, and those of one nn::Linear under three names are the same still.
wire::Record with_others_loaded(Student& student, const wire::Handle& module, wire::Record parameters) {
    float next = 0;
    for (wire::Field& field : parameters.fields)
        if (const auto* numbers = std::get_if<Tensor>(&field.value); numbers != nullptr && numbers->defined())
            field.value = Tensor::full(numbers->shape(), next += 1);
    if (student.outcome("load_state_dict", {{"module", module}, {"state", parameters}}).error) throw NotJudged{};
    return student.record("named_parameters", {{"module", module}});
}

/// Whether forward answers as if nothing had been loaded.
bool loading_has_no_effect(Student& student, const ObjectOptions& asking, const Arguments& arguments) {
    AttentionObject fresh(student, asking, Otherwise::not_judged);
    AttentionObject loaded(student, asking, Otherwise::not_judged);
    loaded.load(std::get<wire::Record>(argument(arguments, "state")));
    fresh.eval();
    loaded.eval();
    const Tensor x = tensor(arguments, "value");  // moderate numbers, whatever the question makes of query and key
    const judge::Question plain{x, x, x, Mask{}};
    const Outcome one = fresh.outcome("forward", plain);
    const Outcome other = loaded.outcome("forward", plain);
    const auto* a = std::get_if<Tensor>(&one.value);
    const auto* b = std::get_if<Tensor>(&other.value);
    return a != nullptr && b != nullptr && same_numbers(*a, *b);
}

/// The numbers that a function gives in eval, after known parameters were loaded.
AnswerAndChanges ask_numbers(Student& student, const Arguments& arguments, const std::string& function,
                             const Predict& predict) {
    const ObjectOptions asking = options_of(arguments);
    AttentionObject module(student, asking, Otherwise::not_judged);
    module.load(std::get<wire::Record>(argument(arguments, "state")));
    module.eval();
    const Outcome outcome = module.outcome(function, call_of(arguments));
    const Answer answer = answer_of(outcome);
    if (!fit(predict(right()), answer) && loading_has_no_effect(student, asking, arguments)) throw NotJudged{};
    return {answer, outcome.changed_arguments};
}

/// attention_weights of a module with dropout: are they those of eval, and does either mode go on after it?
AnswerAndChanges ask_weights_in_training(Student& student, const Arguments& arguments) {
    const ObjectOptions asking = options_of(arguments);
    ObjectOptions without = asking;
    without.dropout = 0;
    AttentionObject dropping(student, asking, Otherwise::not_judged);
    AttentionObject still(student, without, Otherwise::not_judged);
    for (AttentionObject* one : {&dropping, &still}) one->load(std::get<wire::Record>(argument(arguments, "state")));
    const Tensor plain = still.forward(call_of(arguments));
    if (same_numbers(dropping.forward(call_of(arguments)), plain)) throw NotJudged{};  // no dropout in training at all
    const Outcome in_training = dropping.outcome("attention_weights", call_of(arguments));
    const Outcome expected = still.outcome("attention_weights", call_of(arguments));
    const auto* seen = std::get_if<Tensor>(&in_training.value);
    const auto* right_ones = std::get_if<Tensor>(&expected.value);
    if (seen == nullptr || right_ones == nullptr) throw NotJudged{};
    Answer answer;
    say(answer, same_numbers(*seen, *right_ones) ? "before dropout" : "after dropout");
    say(answer, same_numbers(dropping.forward(call_of(arguments)), plain) ? "leaves training" : "training goes on");
    dropping.eval();
    dropping.outcome("attention_weights", call_of(arguments));
    say(answer, dropping.is_training().value_or(false) ? "leaves eval" : "eval goes on");
    return answer;
}

}  // namespace

ObjectOptions options_of(const Arguments& arguments) {
    return ObjectOptions::from(std::get<wire::Record>(argument(arguments, "options")));
}

judge::Question call_of(const Arguments& arguments) {
    return {tensor(arguments, "query"), tensor(arguments, "key"), tensor(arguments, "value"), mask(arguments, "mask")};
}

Answer facts_of(const NamedShapes& parameters, const ObjectOptions& asking) {
    ObjectOptions with_bias = asking;
    with_bias.bias = true;
    const NamedShapes known = specified(with_bias);
    Answer answer;
    for (const auto& [name, shape] : parameters) {
        if (std::any_of(known.begin(), known.end(),
                        [&, &wanted = name](const auto& one) { return one.first == wanted; }))
            answer.parts.push_back({name,
                                    {{static_cast<Index>(shape.size())},
                                     {shape.begin(), shape.end()},
                                     std::vector<double>(shape.size())}});
        else
            say(answer, "another parameter" + in_symbols(shape, asking));
    }
    if (parameters.empty()) say(answer, "no parameters");
    std::sort(answer.parts.begin(), answer.parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return answer;
}

void say(Answer& answer, const std::string& word) { answer.parts.push_back({word, {}}); }

bool same_numbers(const Tensor& a, const Tensor& b) {
    if (a.defined() != b.defined()) return false;
    return !a.defined() || judge::may_repeat(reference::exact(a), reference::exact(b));
}

bool same_numbers(const wire::Record& a, const wire::Record& b) {
    return std::all_of(a.fields.begin(), a.fields.end(), [&](const wire::Field& field) {
        const wire::Field* other = b.find(field.name);
        return other != nullptr && same_numbers(judge::value_of<Tensor>(field), judge::value_of<Tensor>(*other));
    });
}

Arguments changed(Arguments arguments, const std::string& name, wire::Value value) {
    for (wire::Field& field : arguments)
        if (field.name == name) field.value = std::move(value);
    return arguments;
}

AnswerAndChanges ask_factory(Student& student, const Arguments& arguments) {
    const auto& kind = std::get<std::string>(argument(arguments, "question"));
    const ObjectOptions asking = options_of(arguments);
    if (kind == "seeds") {
        ObjectOptions other = asking;
        ++other.seed;
        const wire::Record first = AttentionObject(student, asking, Otherwise::not_judged).state();
        if (first.fields.empty()) throw NotJudged{};
        Answer answer;
        say(answer, same_numbers(first, AttentionObject(student, asking, Otherwise::not_judged).state())
                        ? "equal seeds repeat"
                        : "equal seeds differ");
        say(answer, same_numbers(first, AttentionObject(student, other, Otherwise::not_judged).state())
                        ? "other seeds repeat"
                        : "other seeds differ");
        return answer;
    }
    const Outcome made = student.outcome("make_multi_head_attention", {{"options", asking.record()}});
    if (kind == "declined")
        return made.error ? Answer::without_value(Answer::Kind::refused) : Answer::without_value(Answer::Kind::done);
    const auto* handle = std::get_if<wire::Handle>(&made.value);
    if (kind == "refusal" || made.error || handle == nullptr) return refusal(made);
    const wire::Record parameters = student.record("named_parameters", {{"module", *handle}});
    Answer answer = facts_of(shapes_of(parameters), asking);
    const std::vector<std::string> inputs{"q_proj.weight", "k_proj.weight", "v_proj.weight"};
    if (hold_the_same(parameters, inputs))
        say(answer, hold_the_same(with_others_loaded(student, *handle, parameters), inputs) ? are_one : begin_alike);
    return answer;
}

AnswerAndChanges ask_attention_weights(Student& student, const Arguments& arguments) {
    if (options_of(arguments).dropout > 0) return ask_weights_in_training(student, arguments);
    return ask_numbers(student, arguments, "attention_weights", attention_weights_model(arguments));
}

AnswerAndChanges ask_forward(Student& student, const Arguments& arguments) {
    return ask_numbers(student, arguments, "forward", forward_model(arguments));
}

}  // namespace headway::diagnosis
