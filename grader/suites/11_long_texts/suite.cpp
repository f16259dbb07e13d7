// Hidden tests of exercise 11.        B batch · H heads · T queries · S keys · n new tokens · d head_dim
//                                     d_v value width · w window · L layers
#include "suites/11_long_texts/cost.hpp"
#include "suites/11_long_texts/misfits.hpp"
#include "suites/11_long_texts/questions.hpp"
#include "suites/11_long_texts/ring_expectations.hpp"

#include "diagnosis/answer.hpp"
#include "reference/attention.hpp"
#include "student/hidden_test.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace headway::judge {
namespace {

using namespace long_texts;  // what several files of this suite share

HIDDEN_SUITE(LongTexts);

const CheckedPart context_axes{"context vectors", Stage::weigh, {"b", "h", "query", "feature"}};

CheckedPart mask_axes(const std::string& name, Index rank) {
    return {name, Stage::mask,
            rank == 4 ? std::vector<std::string>{"b", "h", "query", "key"} : std::vector<std::string>{"query", "key"}};
}

// ---- masks -----------------------------------------------------------------------------------------------------

void expect_window_mask(Student& student, Index T, Index S, Index w) {
    expect_mask(student, mask_axes("window mask", 2), student.mask("window_mask", {{"T", T}, {"S", S}, {"w", w}}),
                diagnosis::window_mask(Windows::right(), T, S, w));
}

PROPERTY(LongTexts, WindowsEndAtTheToken, 1,
         "the window opens a token and the w - 1 before it, from p(t) = t + (S - T) on") {
    const Sizes n = long_sizes(random);
    for (const Index w : {Index{1}, Index{2}, n.T - 1, n.T, n.S - 1, n.S, n.S + 4}) {
        expect_window_mask(student, n.T, n.S, w);
        expect_window_mask(student, n.S, n.S, w);
        expect_window_mask(student, 1, n.S, w);
    }
    expect_window_mask(student, n.T, n.S, diagnosis::past_an_int);
    for_every_relation(student, random, "T P w", [&](const AxisSizes& sizes, Random&) {
        expect_window_mask(student, sizes["T"], sizes["T"] + sizes["P"] - 1, sizes["w"]);
    });
}

void expect_global_mask(Student& student, Index T, Index S, const Positions& positions) {
    expect_mask(student, mask_axes("global mask", 2),
                student.mask("global_mask", {{"T", T}, {"S", S}, {"positions", positions}}),
                diagnosis::global_mask(Windows::right(), T, S, positions));
}

PROPERTY(LongTexts, GlobalTokensSeeAndAreSeen, 1, "a global token sees every key, and every query sees it") {
    const Sizes n = long_sizes(random);
    for (const Index T : {n.T, n.S, Index{1}})
        for (const Positions& positions : {Positions{}, Positions{0}, Positions{n.S - 1}, Positions{n.S / 2},
                                           Positions{n.S - 2, 1, n.S / 2, 1}, Positions{3, 2, 1, 0, 0}})
            expect_global_mask(student, T, n.S, positions);
    for_every_relation(student, random, "T P", [&](const AxisSizes& sizes, Random& own) {
        const Index S = sizes["T"] + sizes["P"] - 1;
        expect_global_mask(student, sizes["T"], S, random_globals(own, S));
    });
}

Arguments arguments_of_mask(Index T, Index S, const Looks& looks) {
    return {{"T", T}, {"S", S}, {"w", looks.w}, {"globals", looks.globals}, {"padding", looks.padding}};
}

/// What the student's own window_mask and global_mask give together.
Mask mask_from_own(Student& student, Index T, Index S, const Looks& looks) {
    const Mask window = student.mask("window_mask", {{"T", T}, {"S", S}, {"w", looks.w}});
    const Mask global = student.mask("global_mask", {{"T", T}, {"S", S}, {"positions", looks.globals}});
    return (!((!window) | (!global))) | reference::causal_mask(T, S) | looks.padding;
}

void expect_long_mask(Student& student, Index T, Index S, const Looks& looks) {
    const Mask expected = diagnosis::long_mask(Windows::right(), T, S, looks.w, looks.globals, looks.padding);
    const CheckedPart part = mask_axes("long mask", expected.rank());
    const Mask yours = student.mask("long_mask", arguments_of_mask(T, S, looks));
    const auto numbers = [](const Mask& mask) { return reference::to_tensor(diagnosis::array_of(mask)); };
    const auto from_own = [&] { return std::optional(diagnosis::array_of(mask_from_own(student, T, S, looks))); };
    // Without the words for numbers, where it is right or its own fault.
    const auto follows = what_follows(student, from_own);
    const Array due = diagnosis::array_of(expected);
    const bool own_parts_are_wrong = follows && follows->shape == due.shape && follows->value != due.value;
    if (!own_parts_are_wrong || yours.shape() != expected.shape()) return expect_mask(student, part, yours, expected);
    const auto answers_otherwise = [&](const Array&) {
        const Looks other{looks.w + 1, {S / 2}, Mask{}};
        return diagnosis::array_of(student.mask("long_mask", arguments_of_mask(T, S, other))).value ==
               diagnosis::array_of(mask_from_own(student, T, S, other)).value;
    };
    expect_close_given(student, part, numbers(yours), due, {"window_mask", "global_mask"}, from_own, answers_otherwise);
}

STATES(LongTexts, UnionsAreCutByTimeAndPadding, "long_mask", "long_mask_axes", "long_padding", "global_cuts");
PROPERTY(LongTexts, UnionsAreCutByTimeAndPadding, 1,
         "open is what the window or a global token opens, without the future and without padding") {
    const Sizes n = long_sizes(random);
    for (const Padded padded : all_paddings)
        for (const Positions& globals : {Positions{}, Positions{0}, Positions{n.S - 1, n.S / 2, 0, 0}})
            expect_long_mask(student, n.T, n.S, {3, globals, random_padding(random, n.B, n.S, padded)});
    for_every_relation(student, random, "B T P w", [&](const AxisSizes& sizes, Random& own) {
        const Index T = sizes["T"], S = T + sizes["P"] - 1;
        expect_long_mask(student, T, S, random_looks(own, {sizes["B"], 1, T, S, 1, 1}, sizes["w"]));
    });
}

// ---- attention -------------------------------------------------------------------------------------------------

void expect_attention(Student& student, const Inputs& in, const Needs& needs = {}) {
    const FunctionCall call{"window_attention", in.arguments()};
    const Looks& looks = in.looks;
    const auto from_own = [&]() -> std::optional<Array> {
        return in.expected(student.mask("long_mask", arguments_of_mask(in.q.size(2), in.k.size(2), looks)));
    };
    expect_close_given(student, context_axes, student.tensor(call.function, call.arguments), in.expected(),
                       {"window_mask", "global_mask", "long_mask"}, from_own, computes(student, call, "", needs));
}

/// Keys and values before all windows are NaN: nobody may look at them.
void expect_nothing_read_before_windows(Student& student, Random& random) {
    const Sizes n{2, 3, 9, 33, 5, 4};
    constexpr Index w = 6, unseen = 33 - 9 - (w - 1);
    Inputs in(random, n, {w, {}, Mask{}});
    const Array expected = in.expected();
    for (Tensor* numbers : {&in.k, &in.v}) {
        *numbers = numbers->contiguous().clone();
        numbers->slice(2, 0, unseen).fill(std::numeric_limits<float>::quiet_NaN());
    }
    const Tensor context = student.tensor("window_attention", in.arguments());
    if (!difference(context_axes, context, expected)) return;
    const Array got = exact(context);
    const bool is_nan = std::ranges::any_of(got.value, [](double number) { return !(number == number); });
    if (is_nan)
        expect(false, Stage::mask,
               "keys and values that stand before the windows of all queries are NaN, and so is what came back: your "
               "window_attention looks at keys that no query sees");
    expect_close(student, context_axes, context, expected);
}

STATES(LongTexts, WindowsAreAttendedTo, "window", "globals", "long_mask", "long_padding", "global_cuts",
       "padding_score", "globals_named_twice", "globals_seen_already", "window_scale", "window_largest",
       "blocks_of_queries");
PROPERTY(LongTexts, WindowsAreAttendedTo, 1,
         "window attention gives what attention under the long mask gives, and reads nothing before the windows") {
    const Sizes n = long_sizes(random);
    Sizes square = n;
    square.T = square.S;
    for (const Sizes& size : {n, square})
        for (const Index w : {Index{1}, Index{3}, size.S, size.S + 5})
            expect_attention(student, Inputs(random, size, {w, {}, Mask{}}));
    for (const Padded padded : all_paddings)
        expect_attention(student,
                         Inputs(random, n, {4, {n.S - 1, n.S / 2, 0, 0}, random_padding(random, n.B, n.S, padded)}));
    for (const float factor : {0.0F, 1e-20F, 8.0F}) {
        Inputs in(random, n, random_looks(random, n, 4));
        in.q = in.q * factor;
        expect_attention(student, in, {.parts = false});
    }
    for (const float level : {1e4F, -1e4F})
        expect_attention(student, Inputs(random, n, random_looks(random, n, 3)).at_level(level));
    expect_attention(student, Inputs(random, n, {4, {0}, Mask{}}).at_both_levels(2'000), {.parts = false});
    for_every_relation(student, random, "B H T P w d d_v", [&](const AxisSizes& sizes, Random& own) {
        const Index T = sizes["T"], S = T + sizes["P"] - 1;
        const Sizes size{sizes["B"], sizes["H"], T, S, sizes["d"], sizes["d_v"]};
        expect_attention(student, Inputs(own, size, random_looks(own, size, sizes["w"])));
    });
    // Longer than any block of queries that somebody takes together.
    expect_attention(student, Inputs(random, {1, 2, 150, 301, 3, 2}, {7, {150, 40, 290, 150, 40}, Mask{}}));
    // Blocks of a part of the window hold several queries.
    expect_attention(student, Inputs(random, {1, 2, 70, 90, 3, 2}, {32, {}, Mask{}}));
    expect_nothing_read_before_windows(student, random);
}

/// Of window_attention, which is the one that was asked.
void expect_of_attention(bool holds, const std::string& message) {
    if (holds) return;
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::wrong_behaviour;
    failure.function = "window_attention";
    failure.message = "your window_attention " + message;
    fail(std::move(failure));
}

PROPERTY(LongTexts, MemoryGrowsWithTheText, 1,
         "four times the text needs less than eight times the memory beside arguments and result, and no window is "
         "copied for all queries at once") {
    if (session.sanitized) return;  // a sanitizer's own memory would be measured
    // So short that what looks at every key comes to an end on a slow machine, too.
    constexpr Index T = 384;
    const auto memory = memory_of_long_texts(student, random, T);
    if (!memory) {
        remark_unmeasured_memory(student, "window_attention");
        return;
    }
    const auto kilobytes = [](std::uint64_t bytes) { return std::to_string(bytes / 1000) + " kB"; };
    expect_of_attention(memory->is_linear(), "needs " + kilobytes(memory->of_short) +
                                                 " beside arguments and result for " + std::to_string(T) +
                                                 " tokens and " + kilobytes(memory->of_long) + " for " +
                                                 std::to_string(4 * T) + "; all scores of these would take " +
                                                 kilobytes(memory->scores) + ", and a window holds 24 of a token's");
    const auto wide = memory_of_wide_tokens(student, random);
    if (!wide) return;
    expect_of_attention(wide->taken <= wide->allowed,
                        "needs " + kilobytes(wide->taken) +
                            " beside arguments and result for 256 tokens of 64 "
                            "features with a window of 64; the keys of all windows, copied, take " +
                            kilobytes(wide->copies) + ", and a few numbers per query and key of its window " +
                            kilobytes(wide->allowed) + " at most");
}

PROPERTY(LongTexts, TimeGrowsWithTheText, 1,
         "with the window fixed, four times the text takes four times as long, not sixteen times") {
    if (session.sanitized) return;  // a sanitizer's own time would be measured
    const Times times = times_of_long_texts(student, random);
    if (times.growth() == Times::Growth::unclear)
        remark(student,
               "how your window_attention's time grows could not be told: its calls took now more and now less, "
               "on a busy machine perhaps, so nothing is held against it. Grade again to know.");
    expect_of_attention(
        times.growth() != Times::Growth::quadratic,
        "takes " + std::to_string(std::lround(times.ratio())) + " times as long for " + std::to_string(4 * times.T) +
            " tokens as for " + std::to_string(times.T) +
            " with the same window; four times as long is due: it looks at keys that the window blocks");
}

// ---- decoding --------------------------------------------------------------------------------------------------

PROPERTY(LongTexts, RingsKeepTheLastTokens, 1,
         "the ring keeps the last w tokens, the one at position p in slot p % w; copies are caches of their own") {
    const Sizes n = long_sizes(random);
    expect_appended(student, random, n, 5, {1, 3, 1, 1, 2, 7, 5, 1, 16, 4});
    expect_appended(student, random, n, 4, {9, 1, 4, 3});
    expect_appended(student, random, n, 1, {1, 1, 3});
    expect_appended(student, random, n, n.S, {n.S - 1, 1, 2 * n.S + 3, 1});
    for_every_relation(student, random, "B H n w d d_v", [&](const AxisSizes& sizes, Random& own) {
        const Sizes size{sizes["B"], sizes["H"], 1, 1, sizes["d"], sizes["d_v"]};
        const Filled filled(own, size, sizes["w"], own.integer(0, 3) * sizes["w"] + own.integer(0, 2));
        expect_appended_once(student, filled, NewTokens(own, size, sizes["n"]));
        expect_appended_once(student, filled.with_slots_before_heads(), NewTokens(own, size, sizes["n"]));
    });
    for (const Index so_far : {9, 2}) expect_copies_apart(student, random, n, 4, so_far);
    expect_own_storage(student, random, n, 3);
}

STATES(LongTexts, RingsAnswerAsIfAllWereKept, "ring_sees", "ring_taken_in");
PROPERTY(LongTexts, RingsAnswerAsIfAllWereKept, 1,
         "new tokens get from the ring what they would get if every token had been kept") {
    const Sizes n = long_sizes(random);
    constexpr Index w = 5;
    for (const Index before : {Index{0}, Index{2}, w, w + 3, 4 * w + 1, Index{5'000'000'003}})
        for (const Index chunk : {Index{1}, Index{3}, w + 2, 3 * w + 1})
            expect_decoded(student, Filled(random, n, w, before), NewTokens(random, n, chunk));
    for_every_relation(student, random, "B H n w d d_v", [&](const AxisSizes& sizes, Random& own) {
        const Sizes size{sizes["B"], sizes["H"], 1, 1, sizes["d"], sizes["d_v"]};
        const Filled before(own, size, sizes["w"], own.integer(0, 3) * sizes["w"] + own.integer(0, 2));
        expect_decoded(student, before, NewTokens(own, size, sizes["n"]));
    });
    expect_whole_text(student, random, n, w, {1, 1, 4, 2, 13, 1, 5, 6, 1});
    expect_whole_text(student, random, n, 1, {3, 1, 1});
    expect_copies_apart_in_decoding(student, random, n, 4);
}

// ---- how far layers reach ----------------------------------------------------------------------------------------

void expect_reach(Student& student, const Mask& mask, Index layers) {
    expect_mask(student, {"reach", Stage::mask, {"token", "influenced by"}, "cannot influence it", "can influence it"},
                student.mask("reach", {{"mask", mask}, {"layers", layers}}),
                diagnosis::reach(Windows::right(), mask, layers));
}

/// Each token sees about `seen` others, itself or not.
Mask sparse_mask(Random& random, Index S, Index seen) {
    Mask mask = Mask::block_all({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index i = 0; i < seen; ++i) mask(t, random.integer(0, S - 1)) = false;
    return mask;
}

/// Each token sees the one before it alone, and the first sees the last: each number of layers has another answer.
Mask one_after_the_other(Index S) {
    Mask mask = Mask::block_all({S, S});
    for (Index t = 0; t < S; ++t) mask(t, (t + S - 1) % S) = false;
    return mask;
}

void expect_window_reach(Student& student, Index w, Index layers) {
    const Outcome outcome = student.outcome("window_reach", {{"w", w}, {"layers", layers}});
    const Index due = Windows::right().window_reach(w, layers);
    const auto* yours = std::get_if<Index>(&outcome.value);
    expect(yours != nullptr && *yours == due, Stage::none,
           "your window_reach answers " + (yours == nullptr ? std::string("nothing") : std::to_string(*yours)) +
               " for " + std::to_string(layers) + " layers with a window of " + std::to_string(w) + "; it should be " +
               std::to_string(due));
}

PROPERTY(LongTexts, LayersReachFurtherTogether, 1,
         "through L layers a token is influenced by what L steps lead to; of causal windows, by L·(w - 1) + 1 tokens") {
    // First: where reach is wrong, nothing after it is asked, and what window_reach refuses would count for nothing.
    for (const auto& [w, layers] : {std::pair<Index, Index>{1, 1}, {1, 9}, {2, 1}, {256, 12}, {4096, 32}, {3, 2}})
        expect_window_reach(student, w, layers);
    expect_window_reach(student, random.integer(3'000'000'000, 4'000'000'000), random.integer(3, 9));
    shown(student);
    const Sizes n = long_sizes(random);
    for (const Index layers : {1, 2, 3, 4, 7}) {
        expect_reach(student, diagnosis::window_mask(Windows::right(), n.S, n.S, 3), layers);
        expect_reach(student, sparse_mask(random, n.S, 2), layers);
        expect_reach(student, sparse_mask(random, n.T, 1).as_strided({n.T, n.T}, {1, n.T}, 0), layers);
        expect_reach(student, random_mask(random, {n.T, n.T}), layers);
    }
    for (Index layers = 1; layers <= 11; ++layers) expect_reach(student, one_after_the_other(13), layers);
    expect_reach(student, Mask::allow_all({16, 16}), 3);  // 256 ways from each to each
    expect_reach(student, diagnosis::two_texts(4, 2), diagnosis::too_many_layers);
    for_every_relation(student, random, "S L", [&](const AxisSizes& sizes, Random& own) {
        expect_reach(student, sparse_mask(own, sizes["S"], 2), sizes["L"]);
    });
    shown(student);
}

// ---- what does not fit -------------------------------------------------------------------------------------------

PROPERTY(
    LongTexts, MisfitsAreRefused, 1,
    "what does not fit is refused and changes no cache; strides change no answer; arguments and later calls are left "
    "alone") {
    const Sizes n = long_sizes(random);
    const Looks looks{4, {n.S - 1, 0}, random_padding(random, n.B, n.S, Padded::both)};
    const Inputs in(random, n, looks);
    expect_untouched(student, {{"window_mask", {{"T", n.T}, {"S", n.S}, {"w", Index{3}}}},
                               {"long_mask", arguments_of_mask(n.T, n.S, looks)},
                               {"window_attention", in.arguments()},
                               {"reach", {{"mask", random_mask(random, {n.S, n.S})}, {"layers", Index{2}}}}});
    expect_same_if_repeated(student, {"window_attention", in.arguments()}, "k", 1);
    expect_masks_checked(student, random, n);
    expect_attention_checked(student, random, in);
    expect_rings_checked(student, random, n);
}

}  // namespace
}  // namespace headway::judge
