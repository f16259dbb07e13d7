#include "small_numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

// Numbers to follow by hand.
namespace headway::ex12 {
namespace {

/// One number, rounded.
float half(float x) { return rounded(Tensor::of({1}, {x}), Format::half)(0); }
float bfloat16(float x) { return rounded(Tensor::of({1}, {x}), Format::bfloat16)(0); }

/// One sequence, one head: a row for each token.
Tensor tokens(std::initializer_list<std::initializer_list<float>> rows) {
    const Tensor x = Tensor::rows(rows);
    return x.view({1, 1, x.size(0), x.size(1)});
}

TEST(Rounded, TakesTheNearestAndOfTwoTheEvenOne) {
    EXPECT_EQ(half(0.1F), 0.0999755859375F);
    EXPECT_EQ(half(2049), 2048);  // halves are 2 apart there; 2048 and 2050 are equally near
    EXPECT_EQ(half(2051), 2052);
    EXPECT_EQ(bfloat16(257), 256);
    EXPECT_EQ(bfloat16(259), 260);
}

TEST(Rounded, EndsAtTheLargestNumber) {
    EXPECT_EQ(half(65'519), 65'504);
    EXPECT_EQ(half(-65'520), -std::numeric_limits<float>::infinity());
    EXPECT_NEAR(bfloat16(65'520) / 65'536, 1, 1e-6);
    EXPECT_EQ(half(std::ldexp(3.0F, -25)), std::ldexp(1.0F, -23));  // 1.5 of the least number, between 1 and 2 of it
}

TEST(SumIn, StopsWhereOneIsHalfAStep) {
    EXPECT_EQ(sum_in(Tensor::ones({1, 3000}), Format::half)(0, 0), 2048);
    EXPECT_EQ(sum_in(Tensor::ones({1, 3000}), Format::bfloat16)(0, 0), 256);
}

TEST(SoftmaxInHalf, SharesAndStops) {
    const Tensor two = softmax_in_half(Tensor::of({2}, {5, 5}), Total::in_half);
    EXPECT_EQ(two(0), 0.5F);
    const Tensor many = Tensor::zeros({4096});
    EXPECT_EQ(softmax_in_half(many, Total::in_float)(7), 1.0F / 4096);
    EXPECT_EQ(softmax_in_half(many, Total::in_half)(7), 1.0F / 2048);
}

TEST(AttentionInHalf, DividesBeforeItRounds) {
    const Tensor q = tokens({{300, 0, 0, 0}}), k = tokens({{300, 0, 0, 0}, {299, 0, 0, 0}});  // 90,000 is no half
    const Tensor context = attention_in_half(q, k, tokens({{2}, {4}}), Mask{});
    ASSERT_EQ(context.shape(), (Shape{1, 1, 1, 1}));
    EXPECT_EQ(context(0, 0, 0, 0), 2);
}

TEST(Int8, HasAScalePerRow) {
    const Tensor x = tokens({{1, -2, 0.5F}, {0, 0, 0}});
    const Tensor scales = row_scales(x);
    ASSERT_EQ(scales.shape(), (Shape{1, 1, 2}));
    EXPECT_FLOAT_EQ(scales(0, 0, 0), 2.0F / 127);
    EXPECT_EQ(scales(0, 0, 1), 0);
    const Int8Rows rows = to_int8(x, scales);
    ASSERT_EQ(rows.codes.size(), 6U);
    EXPECT_EQ(rows.codes[1], -127);
    EXPECT_EQ(rows.codes[2], 32);  // 31.75
    EXPECT_EQ(rows.codes[4], 0);
    EXPECT_FLOAT_EQ(from_int8(rows)(0, 0, 0, 2), 64.0F / 127);
}

TEST(Int8, EndsAt127InBothDirections) {
    const Int8Rows rows = to_int8(tokens({{200, -200}}), Tensor::ones({1, 1, 1}));
    ASSERT_EQ(rows.codes.size(), 2U);
    EXPECT_EQ(rows.codes[0], 127);
    EXPECT_EQ(rows.codes[1], -127);
}

TEST(Int8Cache, KeepsWhatItHas) {
    const Int8Cache one = append({}, tokens({{1, 0}}), tokens({{3}}));
    const Int8Cache two = append(one, tokens({{100, 50}}), tokens({{5}}));
    ASSERT_EQ(two.k.shape, (Shape{1, 1, 2, 2}));
    EXPECT_EQ(two.k.codes[0], 127);
    EXPECT_FLOAT_EQ(two.k.scales(0, 0, 0), 1.0F / 127);
    EXPECT_EQ(one.k.codes.size(), 2U);
    const Tensor context = int8_attention(tokens({{0, 0}}), two, Mask{});
    EXPECT_NEAR(context(0, 0, 0, 0), 4, 1e-5F);
    EXPECT_THROW(append(one, tokens({{1, 2, 3}}), tokens({{5}})), std::invalid_argument);
}

TEST(CacheBytes, CountsScales) {
    EXPECT_EQ(cache_bytes(1, 12, 1024, 64, 64, Kept::as_float), 6'291'456);
    EXPECT_EQ(cache_bytes(1, 12, 1024, 64, 64, Kept::as_int8), 1'671'168);
}

}  // namespace
}  // namespace headway::ex12
