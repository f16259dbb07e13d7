#include "long_texts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

// Numbers to follow by hand.
namespace headway::ex11 {
namespace {

constexpr float tolerance = 1e-5F;

/// One sequence, one head: a column of tokens of one feature each.
Tensor column(const std::vector<float>& values) {
    return Tensor::of({1, 1, static_cast<Index>(values.size()), 1}, values);
}

TEST(WindowMask, OpensTheTokenAndThoseBeforeIt) {
    const Mask mask = window_mask(4, 4, 2);
    ASSERT_EQ(mask.shape(), (Shape{4, 4}));
    EXPECT_FALSE(mask(2, 2));
    EXPECT_FALSE(mask(2, 1));
    EXPECT_TRUE(mask(2, 0));
    EXPECT_TRUE(mask(2, 3));
    const Mask last = window_mask(1, 4, 2);  // one query, at position 3
    EXPECT_TRUE(last(0, 1));
    EXPECT_FALSE(last(0, 2));
    EXPECT_THROW(window_mask(4, 4, 0), std::invalid_argument);
}

TEST(GlobalMask, OpensARowAndAColumn) {
    const Mask mask = global_mask(3, 4, {1});  // queries are at positions 1, 2, 3
    EXPECT_FALSE(mask(0, 3));
    EXPECT_FALSE(mask(2, 1));
    EXPECT_TRUE(mask(2, 2));
}

TEST(LongMask, JoinsAndCuts) {
    const Mask mask = long_mask(4, 4, 1, {0}, Mask{});
    ASSERT_EQ(mask.shape(), (Shape{4, 4}));
    EXPECT_FALSE(mask(3, 3));
    EXPECT_FALSE(mask(3, 0));
    EXPECT_TRUE(mask(3, 2));
    EXPECT_TRUE(mask(0, 3));  // a global token does not see the future either
    const Mask padded = long_mask(4, 4, 1, {0}, Mask::of({1, 1, 1, 4}, {true, false, false, false}));
    ASSERT_EQ(padded.shape(), (Shape{1, 1, 4, 4}));
    EXPECT_TRUE(padded(0, 0, 3, 0));
}

TEST(WindowAttention, TakesTheMeanOfTheWindowWhereScoresAreAlike) {
    const Tensor zeros = column({0, 0, 0, 0}), values = column({2, 4, 8, 16});
    const Tensor context = window_attention(zeros, zeros, values, 2, {}, Mask{});
    ASSERT_EQ(context.shape(), (Shape{1, 1, 4, 1}));
    EXPECT_NEAR(context(0, 0, 0, 0), 2, tolerance);
    EXPECT_NEAR(context(0, 0, 1, 0), 3, tolerance);
    EXPECT_NEAR(context(0, 0, 3, 0), 12, tolerance);
    EXPECT_NEAR(window_attention(zeros, zeros, values, 2, {0}, Mask{})(0, 0, 3, 0), 26.0F / 3, tolerance);
}

TEST(Ring, KeepsTheLastTokens) {
    RingCache cache = make_ring(1, 1, 3, 1, 1);
    ring_append(cache, column({1, 2}), column({10, 20}));
    EXPECT_EQ(cache.next, 2);
    RingCache copy = cache;
    ring_append(cache, column({3, 4}), column({30, 40}));  // position 3 takes slot 0
    EXPECT_EQ(cache.k(0, 0, 0, 0), 4);
    EXPECT_EQ(cache.v(0, 0, 1, 0), 20);
    EXPECT_EQ(copy.k(0, 0, 0, 0), 1);
    EXPECT_EQ(copy.next, 2);
}

TEST(Ring, DecodesAsIfAllHadBeenKept) {
    RingCache cache = make_ring(1, 1, 2, 1, 1);
    const Tensor zeros = column({0, 0, 0}), values = column({2, 4, 8});
    const Tensor context = ring_decode(cache, zeros, zeros, values);
    EXPECT_NEAR(context(0, 0, 1, 0), 3, tolerance);  // sees position 0, which the last token pushes out
    EXPECT_NEAR(context(0, 0, 2, 0), 6, tolerance);
    EXPECT_EQ(cache.next, 3);
    EXPECT_NEAR(ring_decode(cache, column({0}), column({0}), column({10}))(0, 0, 0, 0), 9, tolerance);
}

TEST(Reach, GrowsWithTheLayers) {
    const Mask two = reach(window_mask(5, 5, 2), 2);
    EXPECT_FALSE(two(4, 2));
    EXPECT_TRUE(two(4, 1));
    EXPECT_TRUE(two(3, 4));
    EXPECT_EQ(window_reach(2, 2), 3);
    EXPECT_EQ(window_reach(4096, 32), 131'041);
}

}  // namespace
}  // namespace headway::ex11
