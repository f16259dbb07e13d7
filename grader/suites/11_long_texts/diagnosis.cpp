// What diagnosis knows of exercise 11.        B batch · H heads · T queries · S keys · n new tokens · w window
#include "suites/11_long_texts/blocks.hpp"
#include "suites/11_long_texts/inputs.hpp"
#include "suites/11_long_texts/questions.hpp"
#include "suites/11_long_texts/ring_in_diagnosis.hpp"

#include "diagnosis/attention.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/subject.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
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
    return [=, T = T, S = S](const Choices& c) { return Answer::of(array_of(window_mask(c.of<Windows>(), T, S, w))); };
}

Predict predict_global_mask(const Arguments& arguments) {
    const auto [T, S] = lengths_of(arguments);
    const auto globals = positions(arguments, "positions");
    if (T < 1 || S < T || !are_within(globals, S)) return nullptr;
    return [=, T = T, S = S](const Choices& c) {
        return Answer::of(array_of(global_mask(c.of<Windows>(), T, S, globals)));
    };
}

Predict predict_long_mask(const Arguments& arguments) {
    const auto [T, S] = lengths_of(arguments);
    const Index w = integer(arguments, "w");
    const auto globals = positions(arguments, "globals");
    const Mask padding = mask(arguments, "padding");
    if (T < 1 || S < T || w < 1 || !are_within(globals, S)) return nullptr;
    if (padding.defined() && padding.shape() != Shape{padding.size(0), 1, 1, S}) return nullptr;
    return [=, T = T, S = S](const Choices& c) {
        return Answer::of(array_of(long_mask(c.of<Windows>(), T, S, w, globals, padding)));
    };
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

/// The keys once more for each time that one of them counts.
void repeat_keys(Given& given, const Inputs& in, const Windows& choices) {
    const Index B = given.mask.rank() == 4 ? given.mask.size(0) : 1, T = in.q.size(2), S = in.k.size(2);
    const auto copies = [&](Index t, Index s) { return choices.copies({t, s, T, S}, in.looks.w, in.looks.globals); };
    Index most = 1;
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) most = std::max(most, copies(t, s));
    const Mask once = given.mask.expand({B, 1, T, S});
    given.mask = Mask::block_all({B, 1, T, most * S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s)
            for (Index copy = 0; copy < copies(t, s); ++copy)
                for (Index b = 0; b < B; ++b) given.mask(b, 0, t, copy * S + s) = once(b, 0, t, s);
    given.input[1] = cat(std::vector<Tensor>(static_cast<std::size_t>(most), in.k), 2);
    given.input[2] = cat(std::vector<Tensor>(static_cast<std::size_t>(most), in.v), 2);
}

void scale_queries(Given& given, double factor) {
    given.prepared = [factor](const Array& heads, std::size_t role) {
        return role == 0 ? reference::scale(heads, factor) : heads;
    };
}

/// Which keys are padding that a query would see if they were none, (B, 1, T, S), inverted.
Mask hidden_by_padding(const Inputs& in, const Windows& choices, const Mask& mask) {
    const Index B = mask.size(0), T = mask.size(2), S = mask.size(3);
    const auto& [w, globals, padding] = in.looks;
    const auto& scores = choices.padding_scores;
    const Mask without = diagnosis::long_mask(choices, T, S, w, globals, Mask{});
    Mask hidden = Mask::block_all({B, 1, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            bool sees = false;
            for (Index s = 0; s < S; ++s) sees |= !mask(b, 0, t, s);
            const bool scored = scores.in_empty_rows_alone ? !sees : sees || scores.in_empty_rows;
            for (Index s = 0; s < S && scored; ++s) hidden(b, 0, t, s) = !padding(b, 0, 0, s) || without(t, s);
        }
    return hidden;
}

/// All keys once more, seen where they are padding, with one score for all queries: two features more, in which
/// queries have ones, add up to it.
void score_padding(Given& given, const Inputs& in, const Windows& choices) {
    const Index B = in.q.size(0), H = in.q.size(1), T = in.q.size(2), S = in.k.size(2), d = in.q.size(3);
    const bool among_equals = choices.padding_scores.in_empty_rows_alone;  // any number will do
    const double due = among_equals ? 0 : Windows::padding_score * std::sqrt(static_cast<double>(d));
    const auto high = static_cast<float>(due), low = static_cast<float>(due - static_cast<double>(high));
    Tensor padding = Tensor::zeros({B, H, S, d + 2});
    padding.select(3, d).fill(high);
    padding.select(3, d + 1).fill(low);
    const Tensor keys = cat({in.k, Tensor::zeros({B, H, S, 2})}, 3);
    given.input = {cat({in.q, Tensor::full({B, H, T, 2}, 1)}, 3), cat({keys, padding}, 2), cat({in.v, in.v}, 2)};
    const Mask hidden = hidden_by_padding(in, choices, given.mask);
    Mask both = Mask::block_all({B, 1, T, 2 * S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < S; ++s) {
                both(b, 0, t, s) = given.mask(b, 0, t, s);
                both(b, 0, t, S + s) = hidden(b, 0, t, s);
            }
    given.mask = both;
    scale_queries(given, std::sqrt(static_cast<double>(d + 2) / static_cast<double>(d)));
}

Given given_by(const Inputs& in, Windows choices) {
    choices.axes = Windows::Axes::as_asked;  // what long_mask returns is its own business
    Given given;
    given.input = {in.q, in.k, in.v};
    given.mask = in.mask(choices);
    if (choices.counts_list != Windows::CountsList::nowhere || choices.counts_twice != Windows::CountsTwice::nowhere)
        repeat_keys(given, in, choices);
    else if (choices.padding_scores.is_finite && in.looks.padding.defined())
        score_padding(given, in, choices);
    if (choices.scales_by_window)
        scale_queries(given, std::sqrt(static_cast<double>(in.q.size(3)) / static_cast<double>(in.looks.w)));
    return given;
}

/// The largest score of each query, (B, H, T); -infinity of one that sees nothing.
Array largest_scores(const Inputs& in, const Mask& mask) {
    const Index B = in.q.size(0), H = in.q.size(1), T = in.q.size(2), S = in.k.size(2);
    const Array scores = reference::scores(exact(in.q), exact(in.k));
    const Mask blocked = mask.expand({B, H, T, S});
    Array largest = zeros({B, H, T});
    std::ranges::fill(largest.value, -std::numeric_limits<double>::infinity());
    each(blocked.shape(), [&](Coordinate at, std::size_t i) {
        const Index query[] = {at[0], at[1], at[2]};
        double& most = largest.value[position(largest.shape, query)];
        if (!blocked(at[0], at[1], at[2], at[3])) most = std::max(most, scores.value[i]);
    });
    return largest;
}

/// What is left of contexts where the largest score of all heads so far is subtracted: 0 / 0 where nothing is.
void lose_what_underflows(Array& context, const Array& largest) {
    constexpr double of_float = 80, of_double = 750;  // from where on exp has fewer digits, or is 0
    each(context.shape, [&](Coordinate at, std::size_t i) {
        const auto of_head = [&](Index h) {
            const Index query[] = {at[0], h, at[2]};
            return largest.value[position(largest.shape, query)];
        };
        double so_far = of_head(0);
        for (Index h = 1; h <= at[1]; ++h) so_far = std::max(so_far, of_head(h));
        const double below = so_far - of_head(at[1]);
        if (below > of_float) context.error[i] = anything;
        if (below <= of_double || !std::isfinite(below)) return;
        context.value[i] = std::numeric_limits<double>::quiet_NaN();
        context.error[i] = 0;
    });
}

Predict predict_attention(const Arguments& arguments) {
    const auto in = inputs_of(arguments);
    if (!in) return nullptr;
    return [in = *in](const Choices& c) {
        Array context = Attention(given_by(in, c.of<Windows>())).output(c);
        if (c.of<Windows>().largest_goes_on)
            lose_what_underflows(context, largest_scores(in, in.mask(c.of<Windows>())));
        return Answer::of(std::move(context));
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
    return [=](const Choices& c) {
        return Answer::of({{}, {static_cast<double>(c.of<Windows>().window_reach(w, layers))}, {0}});
    };
}

const SubjectRegistration registration(
    "11_long_texts",
    {{{.name = "window_mask", .model = &predict_window_mask, .questions = &ask_window_mask, .stage = Stage::mask},
      {.name = "global_mask", .model = &predict_global_mask, .questions = &ask_global_mask, .stage = Stage::mask},
      {.name = "long_mask",
       .model = &predict_long_mask,
       .questions = &ask_long_mask,
       .given_own = &long_mask_from_own,
       .stage = Stage::mask},
      {.name = "window_attention",
       .model = &predict_attention,
       .questions = &ask_window_attention,
       .given_own = &attention_from_own,
       .stage = Stage::mask,
       .explanations = &blocks_of_queries},
      make_ring_in_diagnosis(),
      ring_append_in_diagnosis(),
      ring_decode_in_diagnosis(),
      {.name = "reach", .model = &predict_reach, .questions = &ask_reach, .stage = Stage::mask},
      {.name = "window_reach", .model = &predict_window_reach, .questions = &ask_window_reach}}});

}  // namespace
}  // namespace headway::diagnosis
