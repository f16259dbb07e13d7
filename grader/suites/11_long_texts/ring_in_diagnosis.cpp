#include "suites/11_long_texts/ring_in_diagnosis.hpp"

#include "suites/11_long_texts/inputs.hpp"
#include "suites/11_long_texts/questions.hpp"

#include "diagnosis/attention.hpp"
#include "diagnosis/elements.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"

#include <algorithm>
#include <functional>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::long_texts::Contents;
using judge::long_texts::Filled;
using reference::exact;

using Seen = Ringing::Seen;

/// How caches may share storage, and what is said where one changes with the other.
struct Sharing {
    Seen seen;
    const char* copy;  ///< what makes the other cache
    const char* changed;
};
constexpr Sharing sharings[] = {
    {{true, true}, "copy_of", "a copy of the cache has changed"},
    {{true, false}, "with_keys_of", "a cache with the same keys and other values has changed"},
    {{false, true}, "with_values_of", "a cache with the same values and other keys has changed"},
};

Array number(Index value) { return {{}, {static_cast<double>(value)}, {0}}; }

/// Everything but the answer: keys, values and the position of the next token.
void append(Answer& answer, const Ring& ring) {
    answer.parts.insert(answer.parts.end(), {{"k", ring.k}, {"v", ring.v}, {"next", number(ring.next)}});
}

void append(Answer& answer, const Contents& held) {
    if (!held.k.defined()) answer.parts.emplace_back("k undefined", Array{});
    if (!held.v.defined()) answer.parts.emplace_back("v undefined", Array{});
    if (held.k.defined() && held.v.defined()) append(answer, Ring{exact(held.k), exact(held.v), held.next});
}

Predict predict_make_ring(const Arguments& arguments) {
    const auto size = [&](const char* name) { return integer(arguments, name); };
    const Index B = size("B"), H = size("H"), w = size("w"), d = size("d"), d_v = size("d_v");
    if (std::min({B, H, w, d, d_v}) < 1) return nullptr;
    return [=](const Choices& c) {
        const Ringing& choices = c.of<Ringing>();
        using Widths = Ringing::Widths;
        const Index slots = w + (choices.one_slot_more ? 1 : 0);
        const bool is_swapped = choices.widths == Widths::swapped;
        const Index of_keys = is_swapped || choices.widths == Widths::values_for_both ? d_v : d;
        const Index of_values = is_swapped || choices.widths == Widths::keys_for_both ? d : d_v;
        Answer answer;
        append(answer, Ring{zeros({B, H, slots, of_keys}), zeros({B, H, slots, of_values}), 0});
        return answer;
    };
}

AnswerAndChanges ask_for_ring(judge::Student& student, const Arguments& arguments) {
    const auto made = student.outcome("make_ring", arguments);
    if (made.error) return answer_of(made);
    Answer answer;
    append(answer, judge::long_texts::contents(student, made.value));
    return answer;
}

/// A cache, and new tokens that fit.
struct Step {
    Filled before;
    Tensor q, k, v;  ///< q undefined in ring_append
};

Step step_of(const Arguments& arguments, bool queries) {
    return {Filled(arguments), queries ? tensor(arguments, "q") : Tensor{}, tensor(arguments, "k"),
            tensor(arguments, "v")};
}

/// Whether a cache still holds what it was made with.
bool is_as_it_was(const Contents& held, const Filled& before) {
    return exact(held.k).value == exact(before.k).value && exact(held.v).value == exact(before.v).value;
}

/// Adds which other caches change with one that takes tokens in.
void append_changed(Answer& answer, const Ringing& choices, bool are_views) {
    for (const Sharing& sharing : sharings)
        if (choices.changes_other(sharing.seen, are_views)) answer.parts.push_back({sharing.changed, {}});
}

using Call = std::function<judge::Outcome(const wire::Handle& cache)>;

/// The same as a student's function does it, in a cache of its own each time.
void append_changed(Answer& answer, judge::Student& student, const Filled& before, const Call& call) {
    for (const Sharing& sharing : sharings) {
        const wire::Handle cache = before.in(student), other = student.keep(sharing.copy, {{"cache", cache}});
        call(cache);
        if (!is_as_it_was(judge::long_texts::contents(student, other), before))
            answer.parts.push_back({sharing.changed, {}});
    }
}

/// ring_append with these tokens.
Call appends(judge::Student& student, const wire::Value& k, const wire::Value& v) {
    return [&student, k, v](const wire::Handle& cache) {
        return student.outcome("ring_append", {{"cache", cache}, {"k", k}, {"v", v}});
    };
}

Predict predict_append(const Arguments& arguments) {
    const Step step = step_of(arguments, false);
    return [=](const Choices& c) {
        const Ringing& choices = c.of<Ringing>();
        Ring ring = step.before.ring();
        ring.append(c.reading.tensor(step.k, Argument::key), c.reading.tensor(step.v, Argument::value), choices);
        Answer answer;
        append(answer, ring);
        append_changed(answer, choices, ring.slots_before_heads);
        return answer;
    };
}

AnswerAndChanges ask_append(judge::Student& student, const Arguments& arguments) {
    const Filled before(arguments);
    const wire::Handle cache = before.in(student);
    const Call call = appends(student, argument(arguments, "k"), argument(arguments, "v"));
    const auto outcome = call(cache);
    if (outcome.error) return answer_of(outcome);
    Answer answer;
    append(answer, judge::long_texts::contents(student, cache));
    append_changed(answer, student, before, call);
    return {std::move(answer), outcome.changed_arguments};
}

Predict predict_decode(const Arguments& arguments) {
    const Step step = step_of(arguments, true);
    return [=](const Choices& c) {
        const Ringing& choices = c.of<Ringing>();
        Ring ring = step.before.ring();
        const RingSight sight = seen_in_ring(ring, exact(step.k), exact(step.v), choices);
        if (sight.k.size(2) == 0) throw Unpredictable{};
        Given given;
        given.input = {step.q, reference::to_tensor(sight.k), reference::to_tensor(sight.v)};
        given.mask = sight.blocked;
        Answer answer{.parts = {{"context", Attention(given).output(c)}}};
        if (choices.takes_in) ring.append(exact(step.k), exact(step.v), choices);
        append(answer, ring);
        if (choices.takes_in) append_changed(answer, choices, ring.slots_before_heads);
        // Of more queries than the ring has keys the first see nothing: window_attention refuses that, a mask does not.
        const bool has_more_queries = step.q.size(2) > ring.w();
        if (choices.looks == Ringing::Looks::at_what_is_left && has_more_queries) answer.kind = Answer::Kind::refused;
        return answer;
    };
}

AnswerAndChanges ask_decode(judge::Student& student, const Arguments& arguments) {
    const Filled before(arguments);
    const wire::Handle cache = before.in(student);
    const Call call = [&](const wire::Handle& asked) {
        return student.outcome("ring_decode", {{"cache", asked},
                                               {"q", argument(arguments, "q")},
                                               {"k", argument(arguments, "k")},
                                               {"v", argument(arguments, "v")}});
    };
    const auto outcome = call(cache);
    if (outcome.error) return answer_of(outcome);
    Answer answer = answer_of(outcome.value);
    if (!answer.is_value() || answer.parts.empty()) return answer;
    answer.parts.front().first = "context";
    append(answer, judge::long_texts::contents(student, cache));
    append_changed(answer, student, before, call);
    return {std::move(answer), outcome.changed_arguments};
}

/// What the student's own window_attention answers, and the cache as the student's own ring_append leaves it.
std::optional<Answer> decode_from_own(judge::Student& student, const Arguments& arguments) {
    const Step step = step_of(arguments, true);
    const auto context = judge::long_texts::decoded_by_own(student, step.before.ring(), step.q, step.k, step.v);
    const wire::Handle cache = step.before.in(student);
    const Call call = appends(student, step.k, step.v);
    const auto outcome = call(cache);
    if (outcome.error || !context) return std::nullopt;
    Array own_context = *context;
    own_context.error = judge::own(reference::to_tensor(*context)).error;
    Answer answer{.parts = {{"context", std::move(own_context)}}};
    append(answer, judge::long_texts::contents(student, cache));
    append_changed(answer, student, step.before, call);
    return answer;
}

}  // namespace

Function make_ring_in_diagnosis() {
    return {.name = "make_ring", .model = &predict_make_ring, .questions = &ask_make_ring, .ask = &ask_for_ring};
}

Function ring_append_in_diagnosis() {
    return {.name = "ring_append", .model = &predict_append, .questions = &ask_ring_append, .ask = &ask_append};
}

Function ring_decode_in_diagnosis() {
    return {.name = "ring_decode",
            .model = &predict_decode,
            .questions = &ask_ring_decode,
            .given_own = &decode_from_own,
            .calls_them_in_any_order = true,  // some take in one new token at a time
            .ask = &ask_decode,
            .stage = Stage::mask};
}

}  // namespace headway::diagnosis
