// Hidden tests of exercise 10.        B batch · H heads · T queries · S keys · d head_dim · d_v value width
#include "suites/10_tiled_attention/expected_attention.hpp"
#include "suites/10_tiled_attention/large_scores.hpp"
#include "suites/10_tiled_attention/left_alone.hpp"
#include "suites/10_tiled_attention/memory.hpp"
#include "suites/10_tiled_attention/own_parts.hpp"
#include "suites/10_tiled_attention/running.hpp"

#include "reference/attention.hpp"
#include "student/hidden_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace headway::judge {
namespace {

using namespace tiled;  // what several files of this suite share

using reference::Array;
using reference::exact;

HIDDEN_SUITE(TiledAttention);

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Index far_beyond_all = 1000;  ///< a tile: there is room for its scores, which a right program may take

/// That sums of these scores and values are computed, right or not.
Evidence computes_sums(Student& student, const Tensor& scores, const Tensor& v, Index tile) {
    const auto sums = [&student, tile](const Arguments& given) {
        const auto tensor = [&](std::size_t i) { return std::get<Tensor>(given.at(i).value); };
        return exact(summed(student, absorbed(student, tensor(0), tensor(1), tile))).value;
    };
    return computes(student, "absorb", sums, {{"scores", scores}, {"v", v}}, {.linear_in = "v"});
}

PROPERTY(TiledAttention, OneTileIsSoftmax, 1,
         "one tile gives softmax-weighted values, whatever the scores; tiles leave the largest of all") {
    const Sizes n = random_sizes(random);
    const Tensor v = random_tensor(random, {n.B, n.S, n.H, n.d_v}).transpose(1, 2);
    expect_sums(student, random_tensor(random, {n.B, n.H, n.T, n.S}) * 2.0F, v, n.S);
    expect_sums(student, random_tensor(random, {n.B, n.T, n.H, n.S}).transpose(1, 2) * 2.0F, v, n.S);
    const Tensor scores = random_tensor(random, {n.B, n.H, n.T, n.S});
    const wire::Handle seen = absorbed(student, scores, v, n.S);
    expect_largest(student, seen, scores);
    expect_total(student, seen, scores);
    // The sums alone do not show which score they are measured against.
    for (const Tensor& some : {scores, scores + Tensor::arange(n.S) * 0.5F})
        expect_largest(student, absorbed(student, some, v, 2), some);
    // Each row has a total of its own.
    for_every_relation(student, random, "B H T d_v", [&](const AxisSizes& sizes, Random& own) {
        const Tensor largest = random_tensor(own, {sizes["B"], sizes["H"], sizes["T"], 1});
        const Tensor total = exp(random_tensor(own, largest.shape())) + 1.0F;
        const Tensor gathered = random_tensor(own, {sizes["B"], sizes["H"], sizes["T"], sizes["d_v"]});
        const wire::Handle running =
            student.keep("running", {{"largest", largest}, {"total", total}, {"gathered", gathered}});
        expect_close(student, context_axes, student.tensor("context", {{"running", running}}), exact(gathered / total));
    });
}

PROPERTY(TiledAttention, TilesAddUp, 2, "tiles add up: what was summed shrinks when a larger score turns up") {
    const Sizes n = random_sizes(random);
    const Tensor v = random_tensor(random, {n.B, n.H, n.S, n.d_v});
    const Tensor scores = random_tensor(random, {n.B, n.H, n.T, n.S});
    const Tensor ramp = Tensor::arange(n.S) * 0.5F;  // each tile's scores are larger, or smaller, than the last's
    for (const Tensor& some : {scores * 2.0F, scores + ramp, scores - ramp})
        for (const Index tile : {Index{1}, Index{2}, n.S - 1}) expect_sums(student, some, v, tile);
    const Tensor rising = scores + ramp;
    expect_total_where_largest_is_right(student, absorbed(student, rising, v, 2), rising);
    for_every_relation(student, random, "B H T S d_v", [&](const AxisSizes& sizes, Random& own) {
        const Sizes size = sizes.sizes();
        expect_sums(student, with_zeros(random_tensor(own, {size.B, size.H, size.T, size.S})),
                    random_tensor(own, {size.B, size.H, size.S, size.d_v}), own.integer(1, size.S));
    });
}

/// Expects sums of what `blocked` leaves of the scores. What is wrong where nothing is blocked too, of usual scores, is
/// another test's business.
void expect_sums_of_open(Student& student, const Tensor& scores, const Tensor& usual, const Mask& blocked,
                         const Tensor& v, Index tile) {
    const Tensor open = masked_fill(scores, blocked, -infinity);
    const auto failure =
        what_is_wrong(student, summed_axes, summed(student, absorbed(student, open, v, tile)), expected_sums(open, v));
    if (!failure) return;
    const Tensor again = student.outside_story([&] { return summed(student, absorbed(student, usual, v, tile)); });
    if (!difference(summed_axes, again, expected_sums(usual, v))) fail(*failure);
    pass_on_credit(student, {"absorb"}, *failure, expected_sums(usual, v), computes_sums(student, usual, v, tile));
}

STATES(TiledAttention, BlockedKeysTeachNothing, "blocked_rows", "empty_tile", "empty_total", "running_start");
PROPERTY(TiledAttention, BlockedKeysTeachNothing, 1,
         "scores of minus infinity add nothing; rows that saw nothing else give 0, never NaN") {
    const Sizes n = random_sizes(random);
    const Tensor v = random_tensor(random, {n.B, n.H, n.S, n.d_v});
    const Tensor usual = random_tensor(random, {n.B, n.H, n.T, n.S});
    Tensor scores = usual.clone();
    scores.select(2, 1) -= 2e4F;  // where blocked tiles come first, a low score is still the largest
    Mask blocked = random_mask(random, {n.B, n.H, n.T, n.S});
    for (Index s = 0; s < n.S; ++s) {
        blocked(0, 0, 0, s) = true;         // a row without keys
        blocked(0, 0, 1, s) = s < n.S - 1;  // its only key comes last
        blocked(0, 0, 2, s) = s > 0;        // and first
    }
    for (const Index tile : {Index{2}, n.S}) expect_sums_of_open(student, scores, usual, blocked, v, tile);
    const wire::Handle fresh = nothing_seen(student, scores.shape(), n.d_v);
    expect_nothing_seen(student, fresh, scores.shape(), n.d_v, "before the first key");
    student.run("absorb", {{"running", fresh}, {"scores", scores * 0.0F - infinity}, {"v", v}});
    expect_nothing_seen(student, fresh, scores.shape(), n.d_v, "after keys that are all blocked");
    const Tensor zeros = Tensor::zeros({n.B, n.H, n.T, 1});
    const Tensor no_values = Tensor::zeros({n.B, n.H, n.T, n.d_v});
    const wire::Handle none =
        student.keep("running", {{"largest", zeros - infinity}, {"total", zeros}, {"gathered", no_values}});
    expect_close(student, context_axes, student.tensor("context", {{"running", none}}), exact(no_values));
    const wire::Handle low =
        student.keep("running", {{"largest", zeros - 1e10F}, {"total", zeros + 1.0F}, {"gathered", no_values + 5.0F}});
    expect_close(student, context_axes, student.tensor("context", {{"running", low}}), exact(no_values + 5.0F));
    expect_context_row_by_row(student, random, n);
}

STATES(TiledAttention, LargeScoresOverflowNothing, "softmax_shift");
PROPERTY(TiledAttention, LargeScoresOverflowNothing, 1, "scores of ±1e4 are scores like any other") {
    const Sizes n = random_sizes(random);
    const Tensor v = random_tensor(random, {n.B, n.H, n.S, n.d_v});
    Tensor scores = random_tensor(random, {n.B, n.H, n.T, n.S});
    scores[0] *= 1e4F;
    scores[1] += 1e4F;
    scores[2] -= 1e4F;
    scores(0, 0, 0, n.S - 1) = 6e4F;  // by far the largest of its row, in the last tile
    scores(0, 0, 1, 0) = 6e4F;        // and in the first
    for (const Index tile : {Index{2}, n.S}) {
        const wire::Handle running = absorbed(student, scores, v, tile);
        const auto failure = what_is_wrong(student, summed_axes, summed(student, running), expected_sums(scores, v));
        if (!failure) continue;
        // What is wrong for small scores too is another test's business.
        const Tensor small = scores * 1e-5F;
        const Tensor again = student.outside_story([&] { return summed(student, absorbed(student, small, v, tile)); });
        if (!difference(summed_axes, again, expected_sums(small, v))) fail(*failure);
        pass_on_credit(student, {"absorb"}, *failure, expected_sums(scores, v),
                       computes_sums(student, scores, v, tile));
    }
    expect_attention_of_large_scores(student, random, n);
}

STATES(TiledAttention, EveryTileGivesAttention, "tile_edge", "tile_of_queries");
PROPERTY(TiledAttention, EveryTileGivesAttention, 1,
         "tiled attention is attention, whether the tile divides T and S or not") {
    for (const bool more_queries : {false, true}) {
        Sizes n = random_sizes(random);
        if ((n.T > n.S) != more_queries) std::swap(n.T, n.S);
        const Inputs in(random, n);
        for (const Index tile : {Index{1}, Index{2}, Index{4}, std::min(n.T, n.S), n.T + n.S, far_beyond_all})
            expect_attention(student, in, Mask{}, false, tile);
    }
    for_every_relation(student, random, "B H T S d d_v tile", [&](const AxisSizes& sizes, Random& own) {
        expect_attention(student, Inputs(own, sizes.sizes()), Mask{}, false, sizes["tile"]);
    });
}

STATES(TiledAttention, MasksReachTheirTiles, "tile_mask");
PROPERTY(TiledAttention, MasksReachTheirTiles, 1,
         "masks of every shape block their keys, in every tile and at its edge") {
    const Inputs in(random, random_sizes(random));
    const Sizes& n = in.n;
    Shape lengths(static_cast<std::size_t>(n.B));
    for (Index& length : lengths) length = random.integer(0, n.S);
    for (const Mask& mask : {random_mask(random, {n.T, n.S}), random_mask(random, {n.B, n.H, n.T, n.S}),
                             random_mask(random, {n.H, 1, n.S}), reference::padding_mask(lengths, n.S),
                             Mask::block_all({n.T, 1}), open_inside(n)})
        for (const Index tile : {Index{2}, Index{4}}) expect_attention(student, in, mask, false, tile);
    expect_masks_of_low_scores(student, random, n);
    // Causal once in any case: where the masks above were right only given other functions, those below are not asked.
    MaskedQuestions questions(student);
    questions.expect_masked(in, every_other_blocked(n), true, 2);
    for_every_mask(student, random, {n.B, n.H, n.T, n.S}, [&](const Mask& mask, Random& own) {
        questions.expect_masked(Inputs(own, n), mask, own.integer(0, 1) == 1, own.integer(1, n.S));
    });
    for_every_relation(student, random, "B H T S d d_v tile", [&](const AxisSizes& sizes, Random& own) {
        const Mask mask = mask_of_any_form(own, {sizes["B"], sizes["H"], sizes["T"], sizes["S"]});
        questions.expect_masked(Inputs(own, sizes.sizes()), mask, own.integer(0, 1) == 1, sizes["tile"]);
    });
    questions.leave_to_others();
}

/// Keys and values of the last position are NaN. Queries two tiles before it must not notice, however tiles are cut.
void expect_future_untouched(Student& student, Random& random) {
    Sizes n = random_sizes(random);
    n.T = 20;
    n.S = 23;
    constexpr Index tile = 6;
    const Inputs whole(random, n);
    Inputs in = whole;
    in.k = whole.k.clone();
    in.v = whole.v.clone();
    const auto early = [&](const Tensor& rows) { return rows.slice(2, 0, n.T - 2 * tile); };
    const Mask causal = reference::causal_mask(n.T, n.S).as_strided({n.T - 2 * tile, n.S}, {n.S, 1}, 0);
    const Array expected = reference::attention(exact(early(in.q)), exact(in.k), exact(in.v), causal).context;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    in.k.select(2, n.S - 1).fill(nan);
    in.v.select(2, n.S - 1).fill(nan);
    const Tensor actual = student.tensor("tiled_attention", in.with(Mask{}, true, tile));
    expect_shape(context_axes, actual.shape(), {n.B, n.H, n.T, n.d_v});
    for (const double number : exact(early(actual)).value)
        expect(std::isfinite(number), Stage::mask,
               "the last key and value are NaN, and queries that cannot see them got NaN: tiles in the future of all "
               "their queries should be skipped, not computed and then masked");
    const Arguments arguments = in.with(Mask{}, true, tile);
    const auto from_own = [&]() -> std::optional<Array> {
        const auto all = from_own_parts(student, arguments);
        return all ? std::optional(own(early(reference::to_tensor(*all)))) : std::nullopt;
    };
    // Early rows show few queries and keys. That all of them count is seen in all rows, of numbers without NaN.
    const Evidence of_all_rows = [&](const Array&) {
        return computes(student,
                        {"tiled_attention", whole.with(Mask{}, true, tile)})(expected_context(whole, Mask{}, true));
    };
    expect_close_given(student, context_axes, early(actual), expected, {"nothing_seen", "absorb", "context"}, from_own,
                       of_all_rows);
}

STATES(TiledAttention, CausalTilesAreSkipped, "tile_causality", "future_tiles");
PROPERTY(TiledAttention, CausalTilesAreSkipped, 1,
         "causal attention sees s <= t + (S - T); tiles of the future are skipped") {
    for (const bool more_queries : {false, true}) {
        Sizes n = random_sizes(random);
        if ((n.T > n.S) != more_queries) std::swap(n.T, n.S);
        const Inputs in(random, n);
        for (const Index tile : {Index{1}, Index{3}, Index{4}, n.T + n.S}) {
            expect_attention(student, in, Mask{}, true, tile);
            expect_attention(student, in, random_mask(random, {n.B, 1, n.T, n.S}), true, tile);
        }
    }
    expect_future_untouched(student, random);
}

/// Expects attention of many scores too. What is wrong for few of them as well is another test's business.
void expect_attention_of_many(Student& student, Random& random, const Inputs& in, const Mask& mask, bool causal,
                              const Tensor& context) {
    const auto failure = what_is_wrong(student, context_axes, context, expected_context(in, mask, causal));
    if (!failure) return;
    constexpr Index tile = 4;
    // As with many, S - T is no multiple of the tile: with causal, some are right only where it is.
    const Index T = random.integer(9, 17), S = T + tile * random.integer(2, 3) + random.integer(1, tile - 1);
    const Inputs few(random, {1, 1, T, S, in.n.d, in.n.d_v});
    const Mask small_mask = random_mask(random, {few.n.S});
    const Tensor small =
        student.outside_story([&] { return student.tensor("tiled_attention", few.with(small_mask, causal, tile)); });
    if (!difference(context_axes, small, expected_context(few, small_mask, causal))) fail(*failure);
}

PROPERTY(TiledAttention, MemoryDoesNotGrowWithTheScores, 1,
         "many scores need no more memory than a tile of them: below a fifth of what all would take") {
    if (session.sanitized) return;                // a sanitizer's own memory would be measured
    const Sizes one_head{1, 1, 701, 1901, 3, 2};  // where a table of each head in turn is not small either
    const Sizes two_heads{1, 2, 503, 1301, 3, 2};
    bool is_known = true;
    using Call = std::tuple<Sizes, bool, const char*>;
    for (const auto& [n, causal, call] : {Call{one_head, false, "with causal = false"},
                                          {one_head, true, "with causal = true, though little with causal = false,"},
                                          {two_heads, false, "with two heads, though little with one,"}}) {
        const Inputs in(random, n);
        const Mask mask = random_mask(random, {n.S});
        const auto [context, memory] = ask_measured(student, random, in, mask, causal, 64);
        is_known = is_known && memory;
        if (memory) expect(memory->is_small(), Stage::scores, too_much(*memory, n, is_known ? call : ""));
        expect_attention_of_many(student, random, in, mask, causal, context);
    }
    if (!is_known) remark_unmeasured_memory(student, "tiled_attention");
}

PROPERTY(TiledAttention, CallsAreCleanAndShapesChecked, 1,
         "shapes and tiles that do not fit are refused, strides change no answer; arguments and later calls are left "
         "alone") {
    const Inputs in(random, random_sizes(random));
    const Sizes& n = in.n;
    expect_untouched(student, {{"tiled_attention", in.with(random_mask(random, {n.T, n.S}), true, 4)}});
    expect_same_if_repeated(student, {"tiled_attention", in.with(Mask{}, false, 4)}, "k", 1);
    expect_states_apart(student, random, n);
    expect_absorb_to_read_views(student, random, n);
    const auto refuses = [&](std::size_t argument, wire::Value value, const std::string& because) {
        Arguments arguments = in.with(Mask{}, false, 4);
        arguments[argument].value = std::move(value);
        student.refuses("tiled_attention", arguments, because);
    };
    refuses(5, Index{0}, "a tile of 0 holds nothing");
    refuses(5, Index{-3}, "a tile of -3 holds nothing");
    refuses(1, random_tensor(random, {n.B, n.H, n.S, n.d + 1}), "q and k differ in width");
    refuses(1, random_tensor(random, {n.B + 1, n.H, n.S, n.d}), "q and k differ in batch");
    refuses(2, random_tensor(random, {n.B, n.H, n.S + 1, n.d_v}), "there are more values than keys");
    refuses(3, Mask::allow_all({n.T, n.S + 1}), "the mask does not broadcast");
    for (const char* name : {"B", "H", "T", "d_v"}) {
        Arguments sizes{{"B", n.B}, {"H", n.H}, {"T", n.T}, {"d_v", n.d_v}};
        for (wire::Field& field : sizes)
            if (field.name == name) field.value = Index{0};
        student.refuses("nothing_seen", sizes, std::string(name) + " must be at least 1, not 0");
    }
    const wire::Handle running = nothing_seen(student, {n.B, n.H, n.T}, n.d_v);
    student.refuses("absorb",
                    {{"running", running},
                     {"scores", random_tensor(random, {n.B, n.H, n.T, 4})},
                     {"v", random_tensor(random, {n.B, n.H, 5, n.d_v})}},
                    "there are more values than scores");
    student.refuses("absorb",
                    {{"running", running},
                     {"scores", random_tensor(random, {n.B, n.H, n.T + 1, 4})},
                     {"v", random_tensor(random, {n.B, n.H, 4, n.d_v})}},
                    "there are more rows of scores than queries");
    student.refuses("absorb",
                    {{"running", running},
                     {"scores", random_tensor(random, {n.B, n.H, n.T, 4})},
                     {"v", random_tensor(random, {n.B, n.H, 4, n.d_v + 1})}},
                    "v is wider than what was gathered");
    refuses_misfits(student, random, "absorb",
                    {{"running", running},
                     {"scores", random_tensor(random, {n.B, n.H, n.T, 4})},
                     {"v", random_tensor(random, {n.B, n.H, 4, n.d_v})}},
                    "scores: B! H! T! n, v: B! H! n d_v!");
    refuses_misfits(student, random, "tiled_attention", in.with(Mask{}, false, 4),
                    "q: B H T d, k: B H S d, v: B H S d_v");
    refuses_masks(student, random, {n.B, n.H, n.T, n.S}, "tiled_attention",
                  [&](const Mask& mask) { return in.with(mask, false, 4); });
}

}  // namespace
}  // namespace headway::judge
