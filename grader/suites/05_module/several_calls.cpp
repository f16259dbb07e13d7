// What of a module outlives a call: loaded states, and whatever else should not.
#include "suites/05_module/asked_module.hpp"

#include "student/inputs.hpp"

namespace headway::diagnosis {

using judge::Arguments;
using judge::AttentionObject;
using judge::NotJudged;
using judge::Otherwise;
using judge::Student;

namespace {

const wire::Record& state_of(const Arguments& arguments, const char* name = "state") {
    return std::get<wire::Record>(argument(arguments, name));
}

AttentionObject loaded(Student& student, const Arguments& arguments, const char* name = "state") {
    AttentionObject module(student, options_of(arguments), Otherwise::not_judged);
    module.load(state_of(arguments, name));
    module.eval();
    return module;
}

/// Whether the answer to `second` is that of a fresh module, although `first` was asked before.
bool is_as_fresh(Student& student, const Arguments& first, const Arguments& second) {
    const Tensor fresh = loaded(student, first).forward(call_of(second));
    AttentionObject module = loaded(student, first);
    module.forward(call_of(first));
    const judge::Outcome later = module.outcome("forward", call_of(second));
    const auto* output = std::get_if<Tensor>(&later.value);
    return output != nullptr && same_numbers(*output, fresh);
}

/// Whether what is loaded after a first call counts in the second.
bool takes_effect_after_a_call(Student& student, const Arguments& arguments, const Arguments& first,
                               Tensor ask(AttentionObject&, const Arguments&)) {
    AttentionObject fresh = loaded(student, arguments, "later state");
    const Tensor wanted = ask(fresh, arguments);
    AttentionObject control = loaded(student, arguments, "later state");
    ask(control, first);
    if (!same_numbers(ask(control, arguments), wanted)) throw NotJudged{};  // calls leave something behind
    AttentionObject reloaded = loaded(student, arguments);
    ask(reloaded, first);
    reloaded.load(state_of(arguments, "later state"));
    return same_numbers(ask(reloaded, arguments), wanted);
}

/// With fewer queries: the same module, another T.
Arguments shorter(const Arguments& arguments) {
    const Tensor query = tensor(arguments, "query");
    return changed(arguments, "query", query.slice(1, 0, query.size(1) - 2).clone());
}

/// With fewer keys, and a mask of them that blocks none: the same module, another S.
Arguments with_fewer_keys(Arguments arguments) {
    const Index keys = tensor(arguments, "key").size(1) - 2;
    for (const char* name : {"key", "value"})
        arguments = changed(arguments, name, tensor(arguments, name).slice(1, 0, keys).clone());
    return changed(std::move(arguments), "mask", Mask::allow_all({keys}));
}

std::string in_words(const std::string& what, bool as_fresh) {
    return what + (as_fresh ? ": as a fresh module" : ": something of the first call is left");
}

Arguments with_another(const char* name, const Arguments& arguments) {
    return changed(arguments, name, (tensor(arguments, name) * -0.7F + 0.3F).contiguous());
}

/// Whether attention_weights answers as those of a fresh module, although forward was asked something else before.
bool weights_are_as_fresh(Student& student, const Arguments& arguments) {
    const Tensor alone = loaded(student, arguments).attention_weights(call_of(arguments));
    if (!same_numbers(loaded(student, arguments).attention_weights(call_of(arguments)), alone)) throw NotJudged{};
    AttentionObject module = loaded(student, arguments);
    module.forward(call_of(with_another("query", arguments)));
    return same_numbers(module.attention_weights(call_of(arguments)), alone);
}

constexpr const char* without_a_mask = "without a mask, after a call with one";
constexpr const char* weights_after_forward = "attention_weights, after forward";

constexpr const char* fewer_keys_after_more = "fewer keys, after a call with more";

/// Nothing is said of modules that keep anything but the last mask and the last weights.
Answer fact_of(bool is_kept, const ModuleChoices& module, const char* what) {
    ModuleChoices::Kept others = module.kept;
    others.last_mask = others.last_weights = false;
    if (!(others == ModuleChoices::Kept{})) throw Unpredictable{};
    Answer answer;
    say(answer, in_words(what, !is_kept));
    return answer;
}

}  // namespace

AnswerAndChanges ask_loading(Student& student, const Arguments& arguments) {
    if (std::get<std::string>(argument(arguments, "question")) == "refused state") {
        const judge::Outcome made =
            student.outcome("make_multi_head_attention", {{"options", options_of(arguments).record()}});
        if (made.error || !std::holds_alternative<wire::Handle>(made.value)) throw NotJudged{};
        const judge::Outcome outcome =
            student.outcome("load_state_dict", {{"module", made.value}, {"state", state_of(arguments)}});
        return outcome.error ? answer_of(outcome) : Answer::without_value(Answer::Kind::done);
    }
    AttentionObject fresh(student, options_of(arguments), Otherwise::not_judged);
    fresh.eval();
    const Tensor before = fresh.forward(call_of(arguments));
    const Tensor wanted = loaded(student, arguments, "later state").forward(call_of(arguments));
    Answer answer;
    if (same_numbers(before, wanted)) {
        say(answer, "loading has no effect");
        return answer;
    }
    Arguments other = arguments;
    for (const char* name : {"query", "key", "value"})
        other = changed(other, name, (tensor(arguments, name) * -0.7F + 0.3F).contiguous());
    // Self-attention may have a way of its own.
    const auto cross = [](AttentionObject& module, const Arguments& call) { return module.forward(call_of(call)); };
    const auto self = [](AttentionObject& module, const Arguments& call) {
        return module.forward_of(tensor(call, "query"));
    };
    const bool takes_effect = takes_effect_after_a_call(student, arguments, other, cross) &&
                              takes_effect_after_a_call(student, arguments, other, self);
    say(answer, takes_effect ? "loading takes effect" : "not after a first call");
    return answer;
}

Answer after_a_mask_facts(const ModuleChoices& module) {
    return fact_of(module.kept.last_mask, module, without_a_mask);
}

Answer after_forward_facts(const ModuleChoices& module) {
    return fact_of(module.kept.last_weights, module, weights_after_forward);
}

Answer after_more_keys_facts(const ModuleChoices& module) {
    ModuleChoices besides = module;
    besides.kept.causal_mask = besides.kept.causal_mask_of_queries = besides.kept.causal_mask_of_keys = false;
    const bool is_kept = module.kept.causal_mask || module.kept.causal_mask_of_queries;
    return fact_of(is_kept, besides, fewer_keys_after_more);
}

AnswerAndChanges ask_several_calls(Student& student, const Arguments& arguments) {
    // Where fresh modules differ, memory was read before anything was written to it.
    const Tensor alone = loaded(student, arguments).forward(call_of(arguments));
    for (int time = 0; time < 3; ++time)
        if (!same_numbers(loaded(student, arguments).forward(call_of(arguments)), alone)) throw NotJudged{};
    Answer answer;
    const auto report = [&](bool as_fresh, const std::string& what) { say(answer, in_words(what, as_fresh)); };
    const auto kind = std::get<std::string>(argument(arguments, "question"));
    if (kind == after_a_mask) {
        report(is_as_fresh(student, arguments, changed(arguments, "mask", Mask{})), without_a_mask);
        return answer;
    }
    if (kind == after_forward) {
        report(weights_are_as_fresh(student, arguments), weights_after_forward);
        return answer;
    }
    if (kind == after_more_keys) {
        report(is_as_fresh(student, arguments, with_fewer_keys(arguments)), fewer_keys_after_more);
        return answer;
    }
    const auto other = [&](const char* name) { return with_another(name, arguments); };
    report(is_as_fresh(student, arguments, arguments), "the same call");
    report(is_as_fresh(student, arguments, other("query")), "another query");
    report(is_as_fresh(student, arguments, other("key")), "another key");
    report(is_as_fresh(student, arguments, other("value")), "another value");
    const Mask first = mask(arguments, "mask");
    Mask last = Mask::allow_all(first.shape());
    for (Index s = 0; s < last.numel(); ++s) last.data()[s] = s == 1;
    report(is_as_fresh(student, arguments, changed(arguments, "mask", last)), "another mask");
    report(is_as_fresh(student, arguments, shorter(arguments)), "fewer queries");
    AttentionObject module = loaded(student, arguments);
    const wire::Record parameters = module.state();
    report(same_numbers(module.first_of_two(call_of(arguments), call_of(other("value"))), alone), "the first result");
    report(same_numbers(parameters, module.state()), "the parameters");
    return answer;
}

Answer several_calls_facts(const ModuleChoices& module) {
    Answer answer;
    const auto report = [&](bool left, const std::string& what) { say(answer, in_words(what, !left)); };
    const ModuleChoices::Kept& kept = module.kept;
    const bool always = kept.sums || kept.parameters;
    report(always, "the same call");
    report(always || kept.query, "another query");
    report(always || kept.key, "another key");
    report(always || kept.value, "another value");
    report(always || kept.mask, "another mask");
    report(kept.parameters || kept.causal_mask || kept.causal_mask_of_keys, "fewer queries");
    report(kept.result_buffer, "the first result");
    report(kept.parameters, "the parameters");
    return answer;
}

}  // namespace headway::diagnosis
