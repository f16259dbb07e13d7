// What dropout does, seen from outside, whatever the order in which a submission draws.
#include "suites/05_module/asked_module.hpp"
#include "suites/05_module/seen_dropout.hpp"

#include "student/inputs.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {

using judge::Arguments;
using judge::AttentionObject;
using judge::NotJudged;
using judge::ObjectOptions;
using judge::Otherwise;
using judge::Outcome;
using judge::random_tensor;
using judge::specified;
using judge::Student;

namespace {

using namespace seen_dropout;

bool all_about(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape()) return false;
    const Array x = reference::exact(a);
    const Array y = reference::exact(b);
    return std::equal(x.value.begin(), x.value.end(), y.value.begin(), about);
}

std::string share_word(double share) {
    if (std::abs(share - p) < 0.2) return "with probability p";
    return std::abs(share - (1 - p)) < 0.2 ? "with probability 1 - p" : "with another probability";
}

bool takes_its_state(Student& student, const Arguments& question) {
    try {
        AttentionObject module(student, options_of(question), Otherwise::not_judged);
        module.load(std::get<wire::Record>(argument(question, "state")));
        return true;
    } catch (const NotJudged&) {
        return false;
    }
}

/// The same question, without the biases that a module with bias = true lacks: what is missing says nothing of dropout,
/// and where out_proj has its bias, that tells the output from the context.
Arguments without_missing_biases(Student& student, const Arguments& question) {
    const Outcome made = student.outcome("make_multi_head_attention", {{"options", options_of(question).record()}});
    const auto* module = std::get_if<wire::Handle>(&made.value);
    if (made.error || module == nullptr) return question;
    const Outcome named = student.outcome("named_parameters", {{"module", *module}});
    const auto* own = std::get_if<wire::Record>(&named.value);
    if (named.error || own == nullptr) return question;
    wire::Record state = std::get<wire::Record>(argument(question, "state"));
    std::erase_if(state.fields, [&](const wire::Field& field) {
        return field.name.ends_with(".bias") && own->find(field.name) == nullptr;
    });
    return changed(question, "state", state);
}

/// The same question of a module with bias = false.
Arguments without_biases(const Arguments& question) {
    ObjectOptions options = options_of(question);
    options.bias = false;
    wire::Record weights = std::get<wire::Record>(argument(question, "state"));
    std::erase_if(weights.fields, [](const wire::Field& field) { return field.name.ends_with(".bias"); });
    return changed(changed(question, "options", options.record()), "state", weights);
}

/// The question as a module with its biases, or the lack of them, can be asked it.
Arguments as_it_takes_its_state(Student& student, const Arguments& question) {
    if (takes_its_state(student, question)) return question;
    Arguments without_some = without_missing_biases(student, question);
    return takes_its_state(student, without_some) ? without_some : without_biases(question);
}

}  // namespace

Arguments dropout_question(Random& random) {
    ObjectOptions asking{.D = D, .H = H, .dropout = p, .seed = random.integer(1, 1'000'000)};
    wire::Record state;
    for (const auto& [name, shape] : specified(asking)) {
        const bool shows = name == "v_proj.weight" || name == "out_proj.weight";
        const bool is_bias = shape.size() == 1;
        Tensor numbers = is_bias ? Tensor::zeros(shape) : random_tensor(random, shape) * 0.15F;
        if (name == "out_proj.bias")
            for (Index h = 0; h < H; ++h) numbers(h * d + d - 1) = 1.0F;
        state.fields.push_back({name, shows ? Tensor::eye(D) : numbers});
    }
    Tensor value = Tensor::zeros({B, S, D});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s)
            for (Index h = 0; h < H; ++h) value(b, s, h * d + s) = value(b, s, h * d + S + s) = 1.0F;
    return {{"question", std::string("dropout")},
            {"options", asking.record()},
            {"state", state},
            {"query", random_tensor(random, {B, T, D})},
            {"key", random_tensor(random, {B, S, D})},
            {"value", value},
            {"mask", Mask{}}};
}

AnswerAndChanges ask_dropout(Student& student, const Arguments& question) {
    const Arguments arguments = as_it_takes_its_state(student, question);
    const ObjectOptions asking = options_of(arguments);
    const auto made = [&](double dropout, Index seed) {
        ObjectOptions other = asking;
        other.dropout = dropout;
        other.seed = seed;
        AttentionObject module(student, other, Otherwise::not_judged);
        module.load(std::get<wire::Record>(argument(arguments, "state")));
        return module;
    };
    AttentionObject still = made(0, asking.seed);
    const Tensor plain = still.forward(call_of(arguments));
    const bool has_bias = std::get<wire::Record>(argument(arguments, "state")).find("out_proj.bias") != nullptr;
    const bool is_right = fit(forward_model(arguments)(right()), Answer::of(reference::exact(plain))).has_value();
    // Wrong weights show as well what becomes of them.
    if (!is_right && (plain.shape() != Shape{B, T, D} || !Seen(plain, plain, has_bias).shows_weights()))
        throw NotJudged{};
    if (!same_numbers(plain, still.forward(call_of(arguments)))) throw NotJudged{};  // calls leave something behind

    AttentionObject module = made(p, asking.seed);
    const Tensor first = module.forward(call_of(arguments));
    const Tensor second = module.forward(call_of(arguments));
    module.eval();
    const bool drops_in_eval = !all_about(module.forward(call_of(arguments)), plain);
    module.train();
    const bool goes_on = !all_about(module.forward(call_of(arguments)), plain);

    Answer answer;
    const std::string in_eval = drops_in_eval ? "something in eval" : "nothing in eval";
    if (all_about(first, plain)) {
        say(answer, word_of(What::nothing));
        say(answer, in_eval);
        if (goes_on) say(answer, "until train() is called");
        return answer;
    }
    if (first.shape() != plain.shape() || second.shape() != plain.shape()) throw NotJudged{};
    const Seen seen(first, plain, has_bias);
    const auto what = seen.what(right_scores(arguments));
    if (!is_right && (!what || *what == What::scores)) throw NotJudged{};  // only right ones are known
    say(answer, what ? word_of(*what) : "something else happens in training");
    if (what && *what != What::scores) {
        say(answer, seen.kept());
        say(answer, share_word(seen.share(what == What::weights ? S : 2 * S)));
    }
    if (what == What::weights) {
        if (seen.alike_for_sequences()) say(answer, "alike for all sequences");
        if (seen.alike_for_heads()) say(answer, "alike for all heads");
        if (seen.alike_for_queries()) say(answer, "alike for all queries");
        if (seen.alike_for_keys()) say(answer, "alike for all keys");
    }
    say(answer, same_numbers(first, second) ? "alike in every call" : "anew in each call");
    say(answer, in_eval);
    say(answer, goes_on ? "on again after eval" : "off for good after eval");
    AttentionObject equal = made(p, asking.seed);
    AttentionObject other = made(p, asking.seed + 1);
    say(answer, same_numbers(equal.forward(call_of(arguments)), first) ? "equal seeds repeat" : "equal seeds differ");
    say(answer, same_numbers(other.forward(call_of(arguments)), first) ? "other seeds repeat" : "other seeds differ");
    return answer;
}

Answer dropout_facts(const ModuleChoices& module) {
    using Dropout = ModuleChoices::Dropout;
    using Seeding = ModuleChoices::Seeding;
    const Dropout& dropout = module.dropout;
    Answer answer;
    const bool in_eval = dropout.what != What::nothing && dropout.mode != Dropout::Mode::training;
    const std::string eval_word = in_eval ? "something in eval" : "nothing in eval";
    if (dropout.what == What::nothing || dropout.mode == Dropout::Mode::eval || dropout.off_until_train) {
        say(answer, word_of(What::nothing));
        say(answer, eval_word);
        if (dropout.off_until_train) say(answer, "until train() is called");
        return answer;
    }
    say(answer, word_of(dropout.what));
    if (dropout.what != What::scores) {
        say(answer, word_of(dropout.kept));
        say(answer, share_word(dropout.share_is_kept ? 1 - p : p));
    }
    if (dropout.what == What::weights) {
        if (dropout.sequences_alike) say(answer, "alike for all sequences");
        if (dropout.heads_alike) say(answer, "alike for all heads");
        if (dropout.queries_alike) say(answer, "alike for all queries");
        if (dropout.keys_alike) say(answer, "alike for all keys");
    }
    say(answer, dropout.calls_alike ? "alike in every call" : "anew in each call");
    say(answer, eval_word);
    say(answer, dropout.off_after_eval ? "off for good after eval" : "on again after eval");
    const bool differ = module.seeding == Seeding::never_the_same || dropout.draws == Dropout::Draws::of_process;
    const bool one_seed = module.seeding == Seeding::constant || dropout.draws == Dropout::Draws::other_seed;
    say(answer, differ ? "equal seeds differ" : "equal seeds repeat");
    say(answer, one_seed && !differ ? "other seeds repeat" : "other seeds differ");
    return answer;
}

}  // namespace headway::diagnosis
