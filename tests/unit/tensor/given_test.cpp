#include "naive.hpp"

#include <headway/given.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::given {
namespace {

using naive::booleans;
using naive::numbers;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(SplitHeads, HeadHHoldsItsOwnSliceOfTheFeatures) {
    const Tensor x = Tensor::arange(12).as_strided({1, 2, 6}, {12, 6, 1}, 0);
    const Tensor heads = split_heads(x, 3);
    EXPECT_EQ(heads.shape(), (Shape{1, 3, 2, 2}));
    EXPECT_THAT(numbers(heads), ElementsAre(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11));
    EXPECT_TRUE(heads.shares_storage_with(x));
}

TEST(SplitHeads, RefusesWhatDoesNotDivide) {
    EXPECT_THAT(
        [] {
            split_heads(Tensor::zeros({1, 2, 6}), 4);
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr("D = 6 is not divisible by num_heads = 4")));
    EXPECT_THROW(split_heads(Tensor::zeros({1, 2, 6}), 0), std::invalid_argument);
    EXPECT_THROW(split_heads(Tensor::zeros({2, 6}), 2), std::invalid_argument);
    EXPECT_THROW(split_heads(Tensor{}, 2), std::invalid_argument);
}

TEST(MergeHeads, UndoesSplitHeadsOnAnyView) {
    Random random(91);
    for (int round = 0; round < 50; ++round) {
        const Index H = random.integer(1, 4), head_dim = random.integer(1, 4);
        const Shape shape{random.integer(0, 3), random.integer(0, 4), H * head_dim};
        const Tensor x = naive::random_view(random, shape, naive::Repeats::yes);
        const Tensor merged = merge_heads(split_heads(x, H));
        ASSERT_EQ(merged.shape(), x.shape());
        ASSERT_TRUE(merged.is_contiguous());
        ASSERT_EQ(numbers(merged), numbers(x));
    }
    EXPECT_THROW(merge_heads(Tensor::zeros({2, 3, 4})), std::invalid_argument);
}

TEST(CausalMask, BlocksTheFutureSoThatTheLastQuerySeesEveryKey) {
    EXPECT_THAT(booleans(causal_mask(3, 3)), ElementsAre(false, true, true, false, false, true, false, false, false));
    EXPECT_THAT(booleans(causal_mask(2, 3)), ElementsAre(false, false, true, false, false, false));
    EXPECT_THAT(booleans(causal_mask(3, 2)), ElementsAre(true, true, false, true, false, false));
    EXPECT_THROW(causal_mask(-1, 2), std::invalid_argument);
}

TEST(PaddingMask, BlocksKeysBehindTheEnd) {
    const Mask mask = padding_mask({2, 0, 3}, 3);
    EXPECT_EQ(mask.shape(), (Shape{3, 1, 1, 3}));
    EXPECT_THAT(booleans(mask), ElementsAre(false, false, true, true, true, true, false, false, false));
    EXPECT_THROW(padding_mask({4}, 3), std::invalid_argument);
    EXPECT_THROW(padding_mask({-1}, 3), std::invalid_argument);
}

/// Context by the formula, in double, one number at a time.
double naive_context(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, naive::Position at, Index c) {
    std::vector<double> weights;
    double total = 0;
    for (Index s = 0; s < k.size(2); ++s) {
        double score = 0;
        for (Index i = 0; i < q.size(3); ++i)
            score += static_cast<double>(q(at[0], at[1], at[2], i)) * static_cast<double>(k(at[0], at[1], s, i));
        score /= std::sqrt(static_cast<double>(q.size(3)));
        const bool blocked = mask.defined() && naive::at(mask, {at[0], at[1], at[2], s});
        weights.push_back(blocked ? 0 : std::exp(score));
        total += weights.back();
    }
    double context = 0;
    for (Index s = 0; s < k.size(2) && total > 0; ++s)
        context += weights[static_cast<std::size_t>(s)] / total * static_cast<double>(v(at[0], at[1], s, c));
    return context;
}

TEST(ScaledDotProductAttention, AgreesWithTheFormulaOnAnyViewsAndMasks) {
    Random random(92);
    for (int round = 0; round < 40; ++round) {
        const Index B = random.integer(1, 3), H = random.integer(1, 3), T = random.integer(1, 5),
                    S = random.integer(1, 5), d = random.integer(1, 6), d_v = random.integer(1, 4);
        const Tensor q = naive::random_view(random, {B, H, T, d}), k = naive::random_view(random, {B, H, S, d}),
                     v = naive::random_view(random, {B, H, S, d_v});
        const Mask mask =
            round % 3 == 0 ? Mask{} : naive::random_mask(random, naive::random_narrower(random, {B, H, T, S}));
        const Attended attended = scaled_dot_product_attention(q, k, v, mask);
        ASSERT_EQ(attended.weights.shape(), (Shape{B, H, T, S}));
        ASSERT_EQ(attended.context.shape(), (Shape{B, H, T, d_v}));
        for (const naive::Position& i : naive::indices(attended.context.shape()))
            ASSERT_NEAR(naive::at(attended.context, i), naive_context(q, k, v, mask, {i[0], i[1], i[2]}, i[3]), 2e-5);
    }
}

TEST(ScaledDotProductAttention, TheContextAloneIsTheSame) {
    Random random(95);
    const Tensor q = random.normal({2, 3, 5, 4}), k = random.normal({2, 3, 7, 4}), v = random.normal({2, 3, 7, 6});
    for (const Mask& mask : {Mask{}, naive::random_mask(random, {2, 3, 5, 7}), naive::random_mask(random, {3, 1, 7})})
        EXPECT_EQ(numbers(scaled_dot_product_context(q, k, v, mask)),
                  numbers(scaled_dot_product_attention(q, k, v, mask).context));
}

/// So many keys that not all queries are done at once.
TEST(ScaledDotProductAttention, AgreesWithTheFormulaWhereItIsDoneInParts) {
    constexpr Index T = 70, S = 5003;
    Random random(96);
    const Tensor q = random.normal({1, 2, T, 3}), k = random.normal({1, 2, S, 3}), v = random.normal({1, 2, S, 2});
    const Mask mask = causal_mask(T, S);
    const Attended attended = scaled_dot_product_attention(q, k, v, mask);
    EXPECT_EQ(numbers(scaled_dot_product_context(q, k, v, mask)), numbers(attended.context));
    const Tensor all = sum(attended.weights, -1);
    for (Index h = 0; h < 2; ++h)
        for (Index t = 0; t < T; ++t) {
            ASSERT_NEAR(all(0, h, t), 1, 1e-5);
            ASSERT_NEAR(attended.context(0, h, t, 1), naive_context(q, k, v, mask, {0, h, t}, 1), 2e-5);
        }
}

TEST(ScaledDotProductAttention, ANaNStaysVisibleInItsRowAndABlockedKeysIsNotSeen) {
    const float nan_value = std::numeric_limits<float>::quiet_NaN();
    Random random(97);
    Tensor q = random.normal({1, 1, 3, 4}), k = random.normal({1, 1, 5, 4});
    const Tensor v = random.normal({1, 1, 5, 2});
    q(0, 0, 1, 2) = nan_value;
    k(0, 0, 1, 0) = nan_value;
    const Mask mask = Mask::of({5}, {false, true, false, false, false});
    const Attended attended = scaled_dot_product_attention(q, k, v, mask);
    for (const Index t : {0, 2}) {
        EXPECT_NEAR(attended.context(0, 0, t, 1), naive_context(q, k, v, mask, {0, 0, t}, 1), 2e-5);
        EXPECT_EQ(attended.weights(0, 0, t, 1), 0);
    }
    for (const Index s : {0, 2, 3, 4}) EXPECT_TRUE(std::isnan(attended.weights(0, 0, 1, s)));
    EXPECT_TRUE(std::isnan(attended.context(0, 0, 1, 0)));
    EXPECT_TRUE(std::isnan(scaled_dot_product_context(q, k, v, {})(0, 0, 0, 0)));
}

TEST(ScaledDotProductAttention, FullyBlockedRowsGiveZerosNeverNaN) {
    Random random(93);
    const Tensor x = random.normal({2, 3, 4, 5});
    const Attended attended = scaled_dot_product_attention(x, x, x, Mask::block_all({4, 4}));
    EXPECT_THAT(numbers(attended.weights), Each(0));
    EXPECT_THAT(numbers(attended.context), Each(0));
}

TEST(ScaledDotProductAttention, HugeScoresOverflowNothing) {
    const Tensor q = Tensor::of({1, 1, 1, 1}, {1e4F});
    const Tensor k = Tensor::of({1, 1, 2, 1}, {1, -1});
    EXPECT_THAT(numbers(scaled_dot_product_attention(q, k, k).weights), ElementsAre(1, 0));
}

TEST(ScaledDotProductAttention, NoKeysGiveZeroContext) {
    const Attended attended = scaled_dot_product_attention(Tensor::ones({1, 2, 3, 4}), Tensor::ones({1, 2, 0, 4}),
                                                           Tensor::ones({1, 2, 0, 5}));
    EXPECT_EQ(attended.context.shape(), (Shape{1, 2, 3, 5}));
    EXPECT_THAT(numbers(attended.context), Each(0));
}

TEST(ScaledDotProductAttention, RefusesShapesThatDoNotFit) {
    const Tensor x = Tensor::zeros({2, 3, 4, 5});
    EXPECT_THAT(
        [&] {
            scaled_dot_product_attention(x, Tensor::zeros({2, 3, 4, 6}), x);
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr("widths of q and k differ")));
    EXPECT_THROW(scaled_dot_product_attention(x, x, Tensor::zeros({2, 3, 7, 5})), std::invalid_argument);
    EXPECT_THROW(scaled_dot_product_attention(x, Tensor::zeros({1, 3, 4, 5}), x), std::invalid_argument);
    EXPECT_THROW(scaled_dot_product_attention(x[0], x[0], x[0]), std::invalid_argument);
    EXPECT_THROW(scaled_dot_product_attention(x, x, x, Mask::allow_all({5, 4})), std::invalid_argument);
    EXPECT_THROW(scaled_dot_product_attention(Tensor{}, x, x), std::invalid_argument);
}

}  // namespace
}  // namespace headway::given
