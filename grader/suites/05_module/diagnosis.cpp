// What diagnosis knows of exercise 05.
//                                  B batch · T queries · S keys · D embed_dim · H num_heads · d head_dim · E = H·d
#include "suites/05_module/asked_module.hpp"

#include <cmath>
#include <memory>
#include <utility>
#include "diagnosis/attention.hpp"

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::NamedShapes;
using judge::NotJudged;
using judge::ObjectOptions;
using judge::specified;

// ---- the factory -----------------------------------------------------------------------------------------------

/// The parameters of a module in which these decisions were made.
NamedShapes parameters_of(const ModuleChoices& module, ObjectOptions asking) {
    using M = ModuleChoices;
    if (module.head_dim == M::HeadDim::option_ignored) asking.head_dim.reset();
    if (module.head_dim == M::HeadDim::model_width) asking.head_dim = asking.head_dim.value_or(asking.D);
    const bool wanted = asking.bias;
    const auto has_bias = [&](const std::string& name) {
        const bool output = name.starts_with("out_proj");
        if (module.bias_regardless.of(name)) return true;
        switch (module.biases) {
            case M::Biases::as_asked:
                return wanted;
            case M::Biases::always:
                return true;
            case M::Biases::never:
                return false;
            case M::Biases::all_but_output:
                return wanted && !output;
            case M::Biases::all_but_queries:
                return wanted && !name.starts_with("q_proj");
            case M::Biases::all_but_keys:
                return wanted && !name.starts_with("k_proj");
            case M::Biases::all_but_values:
                return wanted && !name.starts_with("v_proj");
            case M::Biases::output_alone:
                return wanted && output;
            case M::Biases::inverted:
                return !wanted;
        }
        return wanted;
    };
    asking.bias = true;
    NamedShapes parameters;
    if (module.registered == M::Registered::nothing) return parameters;
    for (auto [name, shape] : specified(asking)) {
        const bool output = name.starts_with("out_proj");
        const bool weight = shape.size() == 2;
        if (!weight && !has_bias(name)) continue;
        if (output && module.registered == M::Registered::all_but_output) continue;
        if (module.exchanged.of(name)) {
            if (weight) std::swap(shape[0], shape[1]);
            if (!weight) shape[0] = output ? asking.E() : asking.D;
        }
        if (module.weight_shape == M::WeightShape::in_out && weight) std::swap(shape[0], shape[1]);
        if (module.weight_shape == M::WeightShape::one_head && !output) {
            shape[0] = asking.d();
            if (weight) shape[1] = asking.D / asking.H;
        }
        if (module.registered == M::Registered::packed && !output) {
            if (!name.starts_with("q_proj")) continue;
            shape[0] *= 3;
            name = "in_proj";
        }
        if (module.registered == M::Registered::other_names) name = "w";
        if (module.registered == M::Registered::output_under_other_name && output) name = "w_o";
        parameters.emplace_back(name, shape);
    }
    if (module.registered == M::Registered::one_more) parameters.emplace_back("temperature", Shape{999});
    return parameters;
}

Answer parameters(const ModuleChoices& module, const ObjectOptions& asking) {
    const bool indivisible = asking.D % asking.H != 0;
    if (module.divides_even_with_head_dim && indivisible) return Answer::without_value(Answer::Kind::refused);
    Answer answer = facts_of(parameters_of(module, asking), asking);
    if (module.one_linear_for_three || module.first_numbers_alike)
        say(answer, module.one_linear_for_three ? are_one : begin_alike);
    // A module that does not look at head_dim may see that embed_dim is not divisible.
    const bool divides = module.head_dim == ModuleChoices::HeadDim::option_ignored ||
                         module.weight_shape == ModuleChoices::WeightShape::one_head;
    if (divides && indivisible) answer.kind = Answer::Kind::refused;
    return answer;
}

Answer seeds(const ModuleChoices& module) {
    using Seeding = ModuleChoices::Seeding;
    Answer answer;
    say(answer, module.seeding == Seeding::never_the_same ? "equal seeds differ" : "equal seeds repeat");
    say(answer, module.seeding == Seeding::constant ? "other seeds repeat" : "other seeds differ");
    return answer;
}

/// The check that refuses these options; nullptr if they are fine.
bool Checking::*refused_by(const ObjectOptions& asking) {
    if (asking.D < 1) return &Checking::embed_dim;
    if (asking.H < 1) return &Checking::heads;
    if (asking.dropout == 1) return &Checking::dropout_one;
    if (asking.dropout > 1) return &Checking::dropout_above;
    if (std::isnan(asking.dropout)) return &Checking::dropout_nan;
    if (asking.dropout < 0) return &Checking::dropout_negative;
    if (asking.head_dim && *asking.head_dim < 1) return &Checking::head_dim;
    return &Checking::divisible;
}

/// Without a look at head_dim, D / H may be taken in its place, and be refused where it is no integer.
bool falls_back_on_default_width(const Choices& choices, const ObjectOptions& asking) {
    if (choices.of<ModuleChoices>().head_dim == ModuleChoices::HeadDim::option_ignored) return true;
    return !choices.checking.head_dim && asking.D % asking.H != 0;
}

Predict factory_model(const Arguments& arguments) {
    if (arguments.front().name != "question") return nullptr;  // calls of the hidden tests have other arguments
    const auto kind = std::get<std::string>(argument(arguments, "question"));
    const ObjectOptions asking = options_of(arguments);
    if (kind == "seeds") return [](const Choices& c) { return seeds(c.of<ModuleChoices>()); };
    if (kind == "parameters") return [asking](const Choices& c) { return parameters(c.of<ModuleChoices>(), asking); };
    return [asking, any = kind == "declined"](const Choices& c) {
        if (asking.head_dim && falls_back_on_default_width(c, asking))
            return Answer::without_value(Answer::Kind::unpredicted);
        const Answer answer = checked(false, c.checking, refused_by(asking), nullptr);
        return any && answer.kind == Answer::Kind::threw ? Answer::without_value(Answer::Kind::refused) : answer;
    };
}

std::vector<Arguments> factory_questions(Random&) {
    const auto ask = [](const char* kind, const ObjectOptions& asking) {
        return Arguments{{"question", std::string(kind)}, {"options", asking.record()}};
    };
    return {ask("parameters", {.D = 10, .H = 2}), ask("parameters", {.D = 15, .H = 5, .bias = false}),
            ask("parameters", {.D = 6, .H = 2, .head_dim = 5}), ask("parameters", {.D = 7, .H = 3, .head_dim = 5}),
            // Heads as wide as they are without the option, and narrower.
            ask("parameters", {.D = 8, .H = 4, .head_dim = 2, .bias = false}),
            ask("parameters", {.D = 9, .H = 2, .head_dim = 3}), ask("seeds", {.D = 6, .H = 2, .seed = 5}),
            ask("refusal", {.D = 10, .H = 0}), ask("refusal", {.D = 10, .H = -5}), ask("refusal", {.D = 11, .H = 3}),
            ask("refusal", {.D = 10, .H = 2, .dropout = 1}), ask("refusal", {.D = 10, .H = 2, .dropout = 1.5}),
            ask("refusal", {.D = 10, .H = 2, .dropout = -0.1}),
            ask("refusal", {.D = 10, .H = 2, .dropout = std::nan("")}),
            ask("declined", {.D = 11, .H = 3, .head_dim = 0}), ask("declined", {.D = 12, .H = 3, .head_dim = 0}),
            ask("declined", {.D = 0, .H = 2})};
}

// ---- attention -------------------------------------------------------------------------------------------------

/// The formula with the parameters of the state; nn::Linear keeps them (out, in).
Given given_by(const Arguments& arguments) {
    const ObjectOptions asking = options_of(arguments);
    const auto& state = std::get<wire::Record>(argument(arguments, "state"));
    const auto weight = [&](const std::string& name) {
        return std::get<Tensor>(state.find(name + ".weight")->value).transpose(0, 1).contiguous();
    };
    const auto bias = [&](const std::string& name) {
        const wire::Field* field = state.find(name + ".bias");
        return field == nullptr ? Tensor{} : std::get<Tensor>(field->value);
    };
    Given given;
    given.input = {tensor(arguments, "query"), tensor(arguments, "key"), tensor(arguments, "value")};
    given.weight = {weight("q_proj"), weight("k_proj"), weight("v_proj")};
    given.bias = {bias("q_proj"), bias("k_proj"), bias("v_proj")};
    given.w_o = weight("out_proj");
    given.b_o = bias("out_proj");
    given.H = asking.H;
    given.D = asking.D;
    given.mask = mask(arguments, "mask");
    given.causal = asking.causal;
    given.causal_option = true;
    return given;
}

/// Whether a causal mask is of a shape that fits no scores.
bool is_misshapen(ModuleChoices::CausalMask made, Index T, Index S) {
    using CausalMask = ModuleChoices::CausalMask;
    return T != S && ((made == CausalMask::of_queries && T != 1) || (made == CausalMask::of_keys && S != 1));
}

/// What shapes and options leave to be computed.
Answer unless_refused(const Arguments& arguments, bool lengths_matter, const Choices& c,
                      const std::function<Answer()>& compute) {
    const Tensor query = tensor(arguments, "query");
    const Tensor key = tensor(arguments, "key");
    const auto& module = c.of<ModuleChoices>();
    if ((module.refuses_cross_attention && query.size(1) != key.size(1)) ||
        (options_of(arguments).causal && is_misshapen(module.causal_mask, query.size(1), key.size(1))))
        return Answer::without_value(Answer::Kind::refused);
    const bool wide = query.size(2) == options_of(arguments).D;
    const bool long_enough = !lengths_matter || tensor(arguments, "value").size(1) == key.size(1);
    Answer answer = checked(wide, c.checking, &Checking::weights,
                            [&] { return checked(long_enough, c.checking, &Checking::lengths, compute); });
    // Where heads were split otherwise, a mask that has heads may fit no longer.
    const Mask blocked = mask(arguments, "mask");
    const bool other_heads = !(c.splitting == right().splitting) && blocked.rank() > 2 && blocked.size(-3) > 1;
    if (other_heads && answer.is_value()) answer.kind = Answer::Kind::refused;
    return answer;
}

Answer training_facts(const ModuleChoices& module) {
    Answer answer;
    say(answer, module.weights_after_dropout ? "after dropout" : "before dropout");
    say(answer, module.weights_switch_to_eval ? "leaves training" : "training goes on");
    say(answer, module.weights_switch_to_train ? "leaves eval" : "eval goes on");
    return answer;
}

Predict loading_model(const Arguments& arguments) {
    if (arguments.front().name != "question") return nullptr;
    if (std::get<std::string>(argument(arguments, "question")) == "refused state")
        return [](const Choices&) { return Answer::without_value(Answer::Kind::refused); };
    return [](const Choices& c) {
        using Loading = ModuleChoices::Loading;
        Answer answer;
        say(answer, c.of<ModuleChoices>().loading == Loading::no_effect              ? "loading has no effect"
                    : c.of<ModuleChoices>().loading == Loading::not_after_first_call ? "not after a first call"
                                                                                     : "loading takes effect");
        return answer;
    };
}

Predict several_calls_model(const Arguments& arguments) {
    const auto kind = std::get<std::string>(argument(arguments, "question"));
    const auto facts = kind == after_a_mask      ? &after_a_mask_facts
                       : kind == after_forward   ? &after_forward_facts
                       : kind == after_more_keys ? &after_more_keys_facts
                                                 : &several_calls_facts;
    return [facts](const Choices& c) { return facts(c.of<ModuleChoices>()); };
}

std::vector<Arguments> dropout_questions(Random& random) { return {dropout_question(random)}; }

Predict dropout_model(const Arguments&) {
    return [](const Choices& c) { return dropout_facts(c.of<ModuleChoices>()); };
}

/// A question that something earlier spoils says nothing.
template <AnswerAndChanges (*ask)(judge::Student&, const Arguments&)>
AnswerAndChanges judged(judge::Student& student, const Arguments& arguments) {
    try {
        return ask(student, arguments);
    } catch (const NotJudged&) {
        return Answer::without_value(Answer::Kind::not_judged);
    }
}

const SubjectRegistration registration(
    "05_module",
    {{{.name = "make_multi_head_attention",
       .model = &factory_model,
       .questions = &factory_questions,
       .ask = &judged<&ask_factory>,
       .stage = Stage::project},
      // forward first: it shows more of what both have in common.
      {.name = "forward",
       .model = &forward_model,
       .questions = &forward_questions,
       .ask = &judged<&ask_forward>,
       .stage = Stage::weigh,
       .stages = stages_of_questions(),
       .invariants = {permuted_tokens({"key", "value"}, Follows::not_at_all,
                                      "the output changes when keys change places together with their values"),
                      permuted_tokens({"query"}, Follows::rows, "a query's output depends on where the query stands"),
                      unseen_future({"key", "value"})}},
      {.name = "attention_weights",
       .model = &attention_weights_model,
       .questions = &weights_questions,
       .shown_beside = "what it shows is not what forward weighs with",
       .named_beside = {{"causal_nothing", "causal_option_not_shown"}},
       .ask = &judged<&ask_attention_weights>,
       .stage = Stage::softmax,
       .stages = stages_of_questions(),
       .invariants = {permuted_tokens({"key"}, Follows::columns, "weights of a key change when keys change places")}},
      {.name = "load_state_dict",
       .model = &loading_model,
       .questions = &loading_questions,
       .ask = &judged<&ask_loading>,
       .stage = Stage::state},
      {.name = "forward (several calls)",
       .model = &several_calls_model,
       .questions = &several_calls_questions,
       .ask = &judged<&ask_several_calls>,
       .stage = Stage::state},
      {.name = "forward (dropout)",
       .model = &dropout_model,
       .questions = &dropout_questions,
       .ask = &judged<&ask_dropout>,
       .stage = Stage::dropout}}});

}  // namespace
Predict attention_weights_model(const Arguments& arguments) {
    if (arguments.front().name != "question") return nullptr;
    if (options_of(arguments).dropout > 0)
        return [](const Choices& c) { return training_facts(c.of<ModuleChoices>()); };
    Given given = given_by(arguments);
    given.input[2] = given.w_o = Tensor{};
    auto model = std::make_shared<Attention>(std::move(given));
    return [model, arguments](const Choices& c) {
        return unless_refused(arguments, false, c, [&] { return Answer::of(model->context_and_weights(c).returned); });
    };
}

Predict forward_model(const Arguments& arguments) {
    if (arguments.front().name != "question") return nullptr;
    auto model = std::make_shared<Attention>(given_by(arguments));
    return [model, arguments](const Choices& c) {
        return unless_refused(arguments, true, c, [&] { return Answer::of(model->output(c)); });
    };
}

Array right_scores(const Arguments& arguments) { return Attention(given_by(arguments)).scores(right()); }

}  // namespace headway::diagnosis
