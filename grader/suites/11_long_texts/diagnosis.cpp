// What diagnosis knows of exercise 11.        B batch · H heads · T queries · S keys · n new tokens · w window
#include "suites/11_long_texts/inputs.hpp"
#include "suites/11_long_texts/questions.hpp"

#include "diagnosis/attention.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/subject.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::long_texts::Contents;
using judge::long_texts::Filled;
using judge::long_texts::Inputs;
using reference::exact;

/// Lengths and window of a call, if they fit.
struct Lengths {
    Index T, S;
    bool fit() const { return T >= 1 && S >= T; }
};
Lengths lengths_of(const Arguments& arguments) { return {integer(arguments, "T"), integer(arguments, "S")}; }

Windows::Positions positions(const Arguments& arguments, const char* name) {
    return std::get<Shape>(argument(arguments, name));
}

bool are_within(const Windows::Positions& all, Index S) {
    return std::ranges::all_of(all, [S](Index position) { return position >= 0 && position < S; });
}

Predict predict_window_mask(const Arguments& arguments) {
    const auto [T, S] = lengths_of(arguments);
    const Index w = integer(arguments, "w");
    if (T < 1 || S < T || w < 1) return nullptr;
    return [=](const Choices& c) { return Answer::of(array_of(window_mask(c.of<Windows>(), T, S, w))); };
}

Predict predict_global_mask(const Arguments& arguments) {
    const auto [T, S] = lengths_of(arguments);
    const auto globals = positions(arguments, "positions");
    if (T < 1 || S < T || !are_within(globals, S)) return nullptr;
    return [=](const Choices& c) { return Answer::of(array_of(global_mask(c.of<Windows>(), T, S, globals))); };
}

Predict predict_long_mask(const Arguments& arguments) {
    const auto [T, S] = lengths_of(arguments);
    const Index w = integer(arguments, "w");
    const auto globals = positions(arguments, "globals");
    const Mask padding = mask(arguments, "padding");
    if (T < 1 || S < T || w < 1 || !are_within(globals, S)) return nullptr;
    if (padding.defined() && padding.shape() != Shape{padding.size(0), 1, 1, S}) return nullptr;
    return
        [=](const Choices& c) { return Answer::of(array_of(long_mask(c.of<Windows>(), T, S, w, globals, padding))); };
}

std::optional<Answer> long_mask_from_own(judge::Student& student, const Arguments& arguments) {
    if (!predict_long_mask(arguments)) return std::nullopt;
    const auto [T, S] = lengths_of(arguments);
    const Mask window = student.mask("window_mask", {{"T", T}, {"S", S}, {"w", integer(arguments, "w")}});
    const Mask global =
        student.mask("global_mask", {{"T", T}, {"S", S}, {"positions", positions(arguments, "globals")}});
    if (window.shape() != Shape{T, S} || global.shape() != Shape{T, S}) return std::nullopt;
    return Answer::of(array_of((!((!window) | (!global))) | reference::causal_mask(T, S) | mask(arguments, "padding")));
}

/// NaN stands where nobody may look: the model looks everywhere.
bool is_finite(const Tensor& x) {
    return std::ranges::all_of(exact(x).value, [](double number) { return std::isfinite(number); });
}

/// The arguments of window_attention, if they fit and are few enough to be predicted.
std::optional<Inputs> inputs_of(const Arguments& arguments) {
    constexpr Index most_scores = 50'000;  // more take a search too long
    const Inputs in(arguments);
    const auto &q = in.q, &k = in.k, &v = in.v;
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) return std::nullopt;
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    if (k.shape() != Shape{B, H, S, q.size(3)} || v.shape() != Shape{B, H, S, v.size(3)}) return std::nullopt;
    if (S < T || in.looks.w < 1 || !are_within(in.looks.globals, S) || B * H * T * S > most_scores) return std::nullopt;
    if (in.looks.padding.defined() && in.looks.padding.shape() != Shape{B, 1, 1, S}) return std::nullopt;
    if (!is_finite(k) || !is_finite(v)) return std::nullopt;
    return in;
}

Predict predict_attention(const Arguments& arguments) {
    const auto in = inputs_of(arguments);
    if (!in) return nullptr;
    return [in = *in](const Choices& c) {
        Given given;
        given.input = {in.q, in.k, in.v};
        given.mask = in.mask(c.of<Windows>());
        return Answer::of(Attention(given).output(c));
    };
}

std::optional<Answer> attention_from_own(judge::Student& student, const Arguments& arguments) {
    const auto in = inputs_of(arguments);
    if (!in) return std::nullopt;
    const Index T = in->q.size(2), S = in->k.size(2);
    const Mask own_mask = student.mask(
        "long_mask",
        {{"T", T}, {"S", S}, {"w", in->looks.w}, {"globals", in->looks.globals}, {"padding", in->looks.padding}});
    return Answer::of(in->expected(own_mask));
}

// ---- rings -------------------------------------------------------------------------------------------------------

constexpr const char* shared = "a copy of the cache has changed";

Array number(Index value) { return {{}, {static_cast<double>(value)}, {0}}; }

/// Everything but the answer: keys, values and the position of the next token.
void append(Answer& answer, const Ring& ring) {
    answer.parts.insert(answer.parts.end(), {{"k", ring.k}, {"v", ring.v}, {"next", number(ring.next)}});
}

void append(Answer& answer, const Contents& held) { append(answer, Ring{exact(held.k), exact(held.v), held.next}); }

Predict predict_make_ring(const Arguments& arguments) {
    const auto size = [&](const char* name) { return integer(arguments, name); };
    const Index B = size("B"), H = size("H"), w = size("w"), d = size("d"), d_v = size("d_v");
    if (std::min({B, H, w, d, d_v}) < 1) return nullptr;
    return [=](const Choices& c) {
        const Index slots = w + (c.of<Ringing>().one_slot_more ? 1 : 0);
        Answer answer;
        append(answer, Ring{zeros({B, H, slots, d}), zeros({B, H, slots, d_v}), 0});
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

Predict predict_append(const Arguments& arguments) {
    const Step step = step_of(arguments, false);
    return [=](const Choices& c) {
        const Ringing& choices = c.of<Ringing>();
        Ring ring = step.before.ring();
        ring.append(c.reading.tensor(step.k, Argument::key), c.reading.tensor(step.v, Argument::value), choices);
        Answer answer;
        append(answer, ring);
        if (choices.shares) answer.parts.push_back({shared, {}});
        return answer;
    };
}

/// Whether a cache still holds what it was made with.
bool is_as_it_was(const Contents& held, const Filled& before) {
    return exact(held.k).value == exact(before.k).value && exact(held.v).value == exact(before.v).value;
}

AnswerAndChanges ask_append(judge::Student& student, const Arguments& arguments) {
    const Filled before(arguments);
    const wire::Handle cache = before.in(student), copy = student.keep("copy_of", {{"cache", cache}});
    const auto outcome = student.outcome(
        "ring_append", {{"cache", cache}, {"k", argument(arguments, "k")}, {"v", argument(arguments, "v")}});
    if (outcome.error) return answer_of(outcome);
    Answer answer;
    append(answer, judge::long_texts::contents(student, cache));
    if (!is_as_it_was(judge::long_texts::contents(student, copy), before)) answer.parts.push_back({shared, {}});
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
        if (choices.shares && choices.takes_in) answer.parts.push_back({shared, {}});
        return answer;
    };
}

AnswerAndChanges ask_decode(judge::Student& student, const Arguments& arguments) {
    const Filled before(arguments);
    const wire::Handle cache = before.in(student), copy = student.keep("copy_of", {{"cache", cache}});
    const auto outcome = student.outcome("ring_decode", {{"cache", cache},
                                                         {"q", argument(arguments, "q")},
                                                         {"k", argument(arguments, "k")},
                                                         {"v", argument(arguments, "v")}});
    if (outcome.error) return answer_of(outcome);
    Answer answer = answer_of(outcome.value);
    if (!answer.is_value() || answer.parts.empty()) return answer;
    answer.parts.front().first = "context";
    append(answer, judge::long_texts::contents(student, cache));
    if (!is_as_it_was(judge::long_texts::contents(student, copy), before)) answer.parts.push_back({shared, {}});
    return {std::move(answer), outcome.changed_arguments};
}

/// What the student's own window_attention answers, and the cache as the student's own ring_append leaves it.
std::optional<Answer> decode_from_own(judge::Student& student, const Arguments& arguments) {
    const Step step = step_of(arguments, true);
    const auto context = judge::long_texts::decoded_by_own(student, step.before.ring(), step.q, step.k, step.v);
    const wire::Handle cache = step.before.in(student), copy = student.keep("copy_of", {{"cache", cache}});
    const auto outcome = student.outcome("ring_append", {{"cache", cache}, {"k", step.k}, {"v", step.v}});
    if (outcome.error || !context) return std::nullopt;
    Array own_context = *context;
    own_context.error = judge::own(reference::to_tensor(*context)).error;
    Answer answer{.parts = {{"context", std::move(own_context)}}};
    append(answer, judge::long_texts::contents(student, cache));
    if (!is_as_it_was(judge::long_texts::contents(student, copy), step.before)) answer.parts.push_back({shared, {}});
    return answer;
}

// ---- how far layers reach ----------------------------------------------------------------------------------------

Predict predict_reach(const Arguments& arguments) {
    const Mask steps = mask(arguments, "mask");
    const Index layers = integer(arguments, "layers");
    if (steps.rank() != 2 || steps.size(0) != steps.size(1) || layers < 1) return nullptr;
    return [=](const Choices& c) { return Answer::of(array_of(reach(c.of<Windows>(), steps, layers))); };
}

Predict predict_window_reach(const Arguments& arguments) {
    const Index w = integer(arguments, "w"), layers = integer(arguments, "layers");
    if (w < 1 || layers < 1) return nullptr;
    return [=](const Choices& c) { return Answer::of(number(c.of<Windows>().window_reach(w, layers))); };
}

const SubjectRegistration registration(
    "11_long_texts",
    {{{.name = "window_mask", .model = &predict_window_mask, .questions = &ask_window_mask, .stage = "mask"},
      {.name = "global_mask", .model = &predict_global_mask, .questions = &ask_global_mask, .stage = "mask"},
      {.name = "long_mask",
       .model = &predict_long_mask,
       .questions = &ask_long_mask,
       .given_own = &long_mask_from_own,
       .stage = "mask"},
      {.name = "window_attention",
       .model = &predict_attention,
       .questions = &ask_window_attention,
       .given_own = &attention_from_own,
       .stage = "mask"},
      {.name = "make_ring", .model = &predict_make_ring, .questions = &ask_make_ring, .ask = &ask_for_ring},
      {.name = "ring_append", .model = &predict_append, .questions = &ask_ring_append, .ask = &ask_append},
      {.name = "ring_decode",
       .model = &predict_decode,
       .questions = &ask_ring_decode,
       .given_own = &decode_from_own,
       .calls_them_in_any_order = true,  // some take in one new token at a time
       .ask = &ask_decode,
       .stage = "mask"},
      {.name = "reach", .model = &predict_reach, .questions = &ask_reach, .stage = "mask"},
      {.name = "window_reach", .model = &predict_window_reach, .questions = &ask_window_reach}}});

}  // namespace
}  // namespace headway::diagnosis
