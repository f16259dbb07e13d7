// The cost lab: what it counts is what the formula says.
#include "labs/cost/caches.hpp"
#include "labs/cost/halves.hpp"
#include "labs/cost/heap.hpp"
#include "labs/cost/measure.hpp"
#include "labs/cost/stacks.hpp"
#include "labs/cost/windows.hpp"

#include <headway/given.hpp>
#include <headway/random.hpp>
#include <headway/work.hpp>

#include <module.hpp>
#include <small_numbers.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::lab {
namespace {

Index counted(const std::function<void()>& work) {
    const Index before = multiply_adds();
    work();
    return multiply_adds() - before;
}

TEST(MultiplyAdds, AreCountedByMatmul) {
    const Tensor a = Tensor::ones({2, 3, 5, 7}), b = Tensor::ones({3, 7, 4});
    EXPECT_EQ(counted([&] { ops::matmul(a, b); }), 2 * 3 * 5 * 7 * 4);
}

TEST(Cost, AttentionDoesTheMultiplyAddsOfTheFormula) {
    for (const Index H : {1, 3, 6}) {
        const AttentionSizes sizes{.B = 2, .T = 5, .D = 18, .H = H};
        const Tensor q = Random(1).normal({2, H, 5, 18 / H});
        const Work work = work_of(sizes);
        EXPECT_EQ(counted([&] { given::scaled_dot_product_attention(q, q, q); }), work.scores + work.weighing);
        EXPECT_EQ(work.scores, 2 * 5 * 5 * 18) << "H cancels";
    }
}

TEST(Cost, TheSolutionDoesThoseAndNoMore) {
    for (const Index H : {1, 2, 4, 8}) {
        const AttentionSizes sizes{.B = 3, .T = 5, .D = 8, .H = H};
        const Cost cost = measure_one(sizes, 1);
        EXPECT_EQ(cost.counted, work_of(sizes).all());
    }
}

TEST(Cost, ScoresGrowWithTheHeads) {
    const Cost one = measure_one({.B = 3, .T = 5, .D = 8, .H = 1}, 1),
               eight = measure_one({.B = 3, .T = 5, .D = 8, .H = 8}, 1);
    EXPECT_EQ(one.weights, scores_in(one.sizes));
    EXPECT_EQ(eight.weights, scores_in(eight.sizes));
    EXPECT_EQ(eight.weights, 8 * one.weights);
}

TEST(Cost, WindowsAreMeasuredForTextsFourTimesAsLong) {
    const auto costs = measure_windows(256, 1);
    ASSERT_TRUE(costs);
    ASSERT_EQ(costs->texts.size(), 3U);
    for (const WindowCost& text : costs->texts) EXPECT_GT(std::min(text.all_ms, text.window_ms), 0);
    EXPECT_EQ(costs->texts.front().T, 16);
    EXPECT_EQ(costs->texts.back().T, 256);
}

TEST(Cost, WindowsSeeAtMostTheirWidthOfKeys) {
    EXPECT_EQ(pairs_in(4, 1), 4);
    EXPECT_EQ(pairs_in(4, 3), 1 + 2 + 3 + 3);
    EXPECT_EQ(pairs_in(4, 4), 1 + 2 + 3 + 4);
    EXPECT_EQ(pairs_in(4, 9), 1 + 2 + 3 + 4);
}

/// What a sanitizer's heap holds is not known.
bool heap_is_known() {
    return mebibytes_at_peak([] { Tensor::zeros({1024, 1024}); }) > 0;
}

TEST(Heap, SeesAllThatExistsAtOnceAndNothingThatWasThereBefore) {
    if (!heap_is_known()) GTEST_SKIP() << "a sanitizer has a heap of its own";
    const Tensor before = Tensor::zeros({1024, 1024});  // 4 MiB
    const auto one_after_the_other = [] {
        for (int i = 0; i < 5; ++i) Tensor::zeros({1024, 1024});
    };
    const auto at_once = [] { ops::cat({Tensor::zeros({1024, 1024}), Tensor::zeros({1024, 1024})}, 0); };
    EXPECT_NEAR(mebibytes_at_peak(one_after_the_other), 4, 0.5);
    EXPECT_NEAR(mebibytes_at_peak(at_once), 16, 0.5);
    EXPECT_NEAR(mebibytes_at_peak([] { Mask::allow_all({2048, 1024}); }), 2, 0.5);
}

TEST(Cost, MemoryThroughAWindowGrowsWithTheText) {
    if (!heap_is_known()) GTEST_SKIP() << "a sanitizer has a heap of its own";
    const auto costs = measure_windows(4096, 1);
    ASSERT_TRUE(costs);
    const WindowCost &before = costs->texts.at(1), &last = costs->texts.at(2);
    EXPECT_GT(last.all_mib, 16) << "a byte of the mask for each pair";
    EXPECT_GT(last.all_mib, 8 * before.all_mib);
    EXPECT_LT(last.window_mib, 5 * before.window_mib);
    EXPECT_LT(last.window_mib, last.all_mib / 4);
}

TEST(Halves, HoldAllNumbersOfSixteenBits) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const Tensor x = Tensor::of({12}, {0.0F, -0.0F, 1, -1, 2049, 65'504, infinity, -infinity, std::ldexp(1.0F, -24),
                                       std::ldexp(-3.0F, -24), std::ldexp(1.0F, -14), 0.1F});
    const Tensor expected = ex12::rounded(x, ex12::Format::half);
    const Halves halves = in_halves(expected);
    const Tensor back = from_halves(halves);
    for (Index i = 0; i < x.numel(); ++i) {
        EXPECT_EQ(back(i), expected(i));
        EXPECT_EQ(std::signbit(back(i)), std::signbit(expected(i)));
    }
    EXPECT_EQ(halves.bits[2], 0x3C00);
    EXPECT_EQ(halves.bits[5], 0x7BFF);
    EXPECT_EQ(halves.bits[8], 0x0001);
}

TEST(Halves, AreAppendedBehindTheirOwnHead) {
    const Tensor old = Tensor::arange(8).view({1, 2, 2, 2}), fresh = Tensor::arange(4).view({1, 2, 1, 2}) + 100.0F;
    const Tensor both = from_halves(appended(in_halves(old), in_halves(fresh)));
    ASSERT_EQ(both.shape(), (Shape{1, 2, 3, 2}));
    EXPECT_EQ(both(0, 0, 2, 1), 101);
    EXPECT_EQ(both(0, 1, 0, 0), 4);
    EXPECT_EQ(both(0, 1, 2, 0), 102);
}

TEST(Cost, CachesTakeTheBytesThatTheyShould) {
    const auto costs = measure_caches(64, 1);
    ASSERT_TRUE(costs);
    ASSERT_EQ(costs->caches.size(), 9U);
    const Index numbers = 2 * costs->H * costs->head_dim, rows = 2 * costs->H;
    for (std::size_t i = 0; i < 9; i += 3) {
        const CacheCost &in_float = costs->caches[i], &in_half = costs->caches[i + 1], &in_int8 = costs->caches[i + 2];
        EXPECT_EQ(in_float.bytes, 4 * numbers);
        EXPECT_EQ(in_half.bytes, 2 * numbers);
        EXPECT_EQ(in_int8.bytes, numbers + 4 * rows);
        EXPECT_EQ(in_int8.bytes, costs->bytes_said);
        EXPECT_EQ(in_float.largest_error, 0);
        EXPECT_GT(in_half.largest_error, 0);
        EXPECT_GT(in_int8.largest_error, in_half.largest_error);
        EXPECT_LT(in_int8.largest_error, 0.1);
        EXPECT_GT(std::min({in_float.token_ms, in_half.token_ms, in_int8.token_ms}), 0);
    }
}

TEST(Cost, StacksThatComputeTwiceGiveTheSameGradients) {
    const auto costs = measure_stacks({.B = 1, .T = 16, .D = 8, .F = 32}, 16, 1);  // throws if they do not
    ASSERT_TRUE(costs);
    ASSERT_EQ(costs->stacks.size(), 3U);
    EXPECT_EQ(costs->stacks.front().L, 1);
    EXPECT_EQ(costs->stacks.back().L, 16);
    for (const StackCost& stack : costs->stacks) EXPECT_GT(std::min(stack.all_ms, stack.inputs_ms), 0);
    const StackCost& deepest = costs->stacks.back();
    if (deepest.all_mib > 0) {  // a sanitizer's heap is not known
        EXPECT_LT(deepest.inputs_mib, deepest.all_mib);
    }
    EXPECT_EQ(numbers_between(costs->sizes), 16 * (3 * 8 + 2 * 32));
}

}  // namespace
}  // namespace headway::lab
