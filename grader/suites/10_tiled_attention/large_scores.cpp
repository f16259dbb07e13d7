#include "suites/10_tiled_attention/large_scores.hpp"

#include "suites/10_tiled_attention/inputs.hpp"
#include "suites/10_tiled_attention/own_parts.hpp"

#include <cmath>

namespace headway::judge::tiled {
namespace {

using reference::Array;

/// Expects attention of `special`, or what follows from the student's own absorb and the others. What is wrong of
/// `usual` too is another test's business.
void expect_attention_where_usual_is_right(Student& student, const Inputs& special, const Inputs& usual,
                                           const Mask& mask, bool causal, Index tile) {
    const Arguments arguments = special.with(mask, causal, tile);
    const Tensor context = student.tensor("tiled_attention", arguments);
    const Array expected = expected_context(special, mask, causal);
    if (!what_is_wrong(student, context_axes, context, expected)) return;
    const Tensor answer =
        student.outside_story([&] { return student.tensor("tiled_attention", usual.with(mask, causal, tile)); });
    if (difference(context_axes, answer, expected_context(usual, mask, causal))) return;
    const auto from_own = [&] {
        auto follows = from_own_parts(student, arguments);
        // Such scores are rounded so much that the same parts may answer otherwise.
        if (follows && follows->shape == expected.shape) follows->error = expected.error;
        return follows;
    };
    const Evidence usual_is_right = [](const Array&) { return true; };
    expect_close_given(student, context_axes, context, expected, {"nothing_seen", "absorb", "context"}, from_own,
                       usual_is_right);
}

/// Of queries all of whose scores are about -1e4.
void expect_attention_of_low_scores(Student& student, Random& random, const Sizes& n) {
    const Inputs in(random, n);
    Inputs low = in;
    bring_scores_to(-1e4F, low.q, low.k);
    for (const bool causal : {false, true}) expect_attention_where_usual_is_right(student, low, in, Mask{}, causal, 3);
}

/// The scores of the first tile of queries lie far above those of the next: a largest score that is left from there is
/// so far above theirs that every exponential vanishes.
void expect_each_tile_to_begin_anew(Student& student, Random& random, const Sizes& n) {
    constexpr Index tile = 2;
    const Inputs in(random, n);
    Inputs apart = in;
    const float far = 500.0F * std::sqrt(static_cast<float>(n.d));
    apart.k = in.k.clone();
    apart.k.select(3, 0).fill(1);
    apart.q = in.q.clone();
    apart.q.select(3, 0).fill(-far);
    apart.q.slice(2, 0, tile).select(3, 0).fill(far);
    expect_attention_where_usual_is_right(student, apart, in, Mask{}, false, tile);
}

/// Keys that are blocked score far above all others: where they count for the largest, every exponential vanishes, in
/// double too.
void expect_blocked_keys_not_to_count(Student& student, Random& random, const Sizes& n) {
    const Inputs in(random, n);
    Inputs high = in;
    const Mask mask = every_other_blocked(n);
    raise_blocked(high.q, high.k, mask);
    for (const Index tile : {Index{3}, n.S})
        expect_attention_where_usual_is_right(student, high, in, mask, false, tile);
}

}  // namespace

void expect_masks_of_low_scores(Student& student, Random& random, const Sizes& n) {
    const Inputs in(random, n);
    Inputs low = in;
    bring_scores_to(low_score, low.q, low.k);
    for (const Index tile : {Index{3}, n.S})
        expect_attention_where_usual_is_right(student, low, in, random_mask(random, {n.T, n.S}), false, tile);
}

void expect_attention_of_large_scores(Student& student, Random& random, const Sizes& n) {
    expect_attention_of_low_scores(student, random, n);
    expect_each_tile_to_begin_anew(student, random, n);
    expect_blocked_keys_not_to_count(student, random, n);
}

}  // namespace headway::judge::tiled
