#include "suites/05_module/expectations.hpp"

#include "student/record_field.hpp"
#include "student/repeated.hpp"

#include <utility>
#include <variant>

namespace headway::judge {

using reference::Array;
using reference::exact;

namespace {

/// The output that follows from the student's own attention_weights.
std::optional<Array> from_own_weights(AttentionObject& object, const Question& question) {
    const Outcome weights = object.outcome("attention_weights", question);
    const auto* tensor = std::get_if<Tensor>(&weights.value);
    if (tensor == nullptr || tensor->shape() != object.weights_shape(question)) return std::nullopt;
    return object.output_from(own(*tensor), question);
}

}  // namespace

std::optional<verdict::Failure> forward_difference(AttentionObject& object, const Question& question,
                                                   const Tensor& output) {
    Student& student = object.student();
    auto failure = what_is_wrong(student, output_axes, output, object.expected_output(question));
    if (!failure) return std::nullopt;
    const auto given_own = student.outside_story([&] { return from_own_weights(object, question); });
    if (!given_own || difference(output_axes, output, *given_own)) return failure;
    pass_on_credit(student, {"attention_weights"}, *failure, object.expected_output(question),
                   object.computes_forward(question));
    return std::nullopt;
}

void expect_forward(AttentionObject& object, const Question& question, const Tensor& output) {
    const auto failure = forward_difference(object, question, output);
    if (failure && !is_wrong_without_it(object, question.query, *failure, object.expected_output(question),
                                        object.computes_what_is_asked_for(question)))
        fail(*failure);
}

void expect_forward(AttentionObject& object, const Question& question) {
    expect_forward(object, question, object.forward(question));
}

void expect_as_fresh_for_other_lengths(Student& student, Random& random, const Sizes& n) {
    const ObjectOptions options{.D = n.D(), .H = n.H, .causal = true};
    const wire::Record state = random_state(random, options);
    const auto fresh = [&] {
        AttentionObject object(student, options, Otherwise::not_judged);
        object.load(state);
        object.eval();
        return object;
    };
    const auto numbers = [](const Outcome& outcome) {
        const auto* tensor = std::get_if<Tensor>(&outcome.value);
        return tensor == nullptr || !tensor->defined() ? Array{} : exact(*tensor);
    };
    Sizes more_queries = n;
    ++more_queries.T;
    const std::pair<const char*, Question> others[] = {{"keys", random_question(random, n, n.S + 1)},
                                                       {"queries", random_question(random, more_queries, n.S)}};
    const Question first = random_question(random, n, n.S);
    try {
        for (const auto& [what, other] : others) {
            const Array due = numbers(fresh().outcome("forward", other));
            // Else something else is wrong, which other tests tell.
            if (due.value.empty() || !may_repeat(due, numbers(fresh().outcome("forward", other)))) continue;
            AttentionObject used = fresh();
            used.outcome("forward", first);
            const Outcome later = used.outcome("forward", other);
            expect(may_repeat(due, numbers(later)), Stage::state,
                   std::string("your forward ") +
                       (later.error ? "throws where a fresh module answers" : "answers otherwise than a fresh module") +
                       ": this one was asked before with another number of " + what);
        }
    } catch (const NotJudged&) {  // nothing can be made or loaded, which other tests tell
    }
}

void ask_objects(Student& student, Random& random, const std::string& axes, Masked masked,
                 const std::function<void(AttentionObject&, const Question&, Random&)>& ask) {
    for_every_relation(student, random, axes, [&](const AxisSizes& sizes, Random& own) {
        const Sizes n = sizes.sizes();
        const bool causal = masked == Masked::yes && own.integer(0, 1) == 1;
        const bool bias = own.integer(0, 3) > 0;
        auto object = loaded(student, own, {.D = n.D(), .H = n.H, .bias = bias, .causal = causal});
        if (!object) return;
        object->eval();
        Question question = random_question(own, n, n.S);
        if (masked == Masked::yes) question.mask = mask_of_any_form(own, {n.B, n.H, n.T, n.S});
        ask(*object, question, own);
    });
}

void ask_small(Student& student, Random& random, double dropout, const Wanted& wanted,
               const std::function<void(AttentionObject&, const Together&, const Question&)>& ask) {
    ask_together(student, random, {"in eval", "in training"}, wanted, [&](const Together& choice, Random& own) {
        ObjectOptions options = choice.options(own, own.integer(2, 3), own.integer(2, 4));
        options.dropout = dropout;
        auto object = loaded(student, own, options);
        if (!object) return;
        if (choice.mode == 0) object->eval();
        const Index T = own.integer(3, 5), S = choice.more_keys(T, own.integer(1, 2));
        ask(*object, choice, question_together(own, choice, options, own.integer(1, 3), T, S));
    });
}

void expect_self_attention(AttentionObject& object, const Tensor& x) {
    const Question question{x, x, x, Mask{}};
    for (const Tensor& output : {object.forward(question), object.forward_of(x)})
        if (const auto failure = forward_difference(object, question, output)) fail(*failure);
}

void expect_large_scores(AttentionObject& object, const Tensor& x) {
    const Question question{x * 30.0F, x * 30.0F, x * 30.0F, Mask{}};
    const Outcome weights =
        object.student().outside_story([&] { return object.outcome("attention_weights", question); });
    const auto* tensor = std::get_if<Tensor>(&weights.value);
    if (tensor == nullptr || difference(weights_axes, *tensor, object.expected_weights(question))) return;
    expect_self_attention(object, question.query);
}

Question towering_question(Random& random, const Sizes& n, const AttentionObject& object) {
    Question question = random_question(random, n, n.S);
    question.query *= 300.0F;
    question.mask = largest_blocked(object.expected_weights(question));
    return question;
}

Question low_question(Random& random, const Sizes& n, AttentionObject& object) {
    const wire::Record state = object.random_state(random);
    for (const char* bias : {"q_proj.bias", "k_proj.bias"}) Tensor(field<Tensor>(state, bias)).fill(0);
    bring_scores_to(low_score, n.H, field<Tensor>(state, "q_proj.weight"), field<Tensor>(state, "k_proj.weight"));
    object.load(state);
    Question question = random_question(random, n, n.S);
    for (Tensor* tokens : {&question.query, &question.key}) tokens->select(2, 0).fill(1);
    question.mask = random_mask(random, {n.T, n.S});
    return question;
}

Question large_question(Random& random, const Sizes& n) {
    Question question = random_question(random, n, n.S);
    question.query *= 300.0F;
    question.key = random_tensor(random, {n.B, 1, n.D()}) + question.key * 0.1F;
    return question;
}

}  // namespace headway::judge
