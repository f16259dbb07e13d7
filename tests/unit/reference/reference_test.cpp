// The reference in double against numbers worked by hand, and its error bounds against float32 computed otherwise.
#include "reference/attention.hpp"
#include "student/expect.hpp"
#include "student/inputs.hpp"

#include <headway/given.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace headway::reference {
namespace {

TEST(Reference, SoftmaxOfLogarithmsIsTheirShare) {
    const Tensor scores = Tensor::of({1, 3}, {0, std::log(2.0F), std::log(5.0F)});
    const Array weights = masked_softmax(exact(scores), Mask{});
    EXPECT_NEAR(weights.value[0], 1.0 / 8, 1e-7);
    EXPECT_NEAR(weights.value[1], 2.0 / 8, 1e-7);
    EXPECT_NEAR(weights.value[2], 5.0 / 8, 1e-7);
}

TEST(Reference, BlockedKeysDoNotExist) {
    const Tensor scores = Tensor::of({2, 3}, {0, 1e4F, 0, 1, 2, 3});
    const Array weights = masked_softmax(exact(scores), Mask::of({2, 3}, {false, true, false, true, true, true}));
    EXPECT_EQ(weights.value, (std::vector<double>{0.5, 0, 0.5, 0, 0, 0}));
}

TEST(Reference, ScoresAreDividedByTheRootOfTheSummedWidth) {
    const Array q = exact(Tensor::rows({{1, 2, 3, 4}}));
    const Array k = exact(Tensor::rows({{1, 1, 1, 1}, {2, 0, 0, 0}}));
    EXPECT_EQ(scores(q, k).value, (std::vector<double>{5, 1}));
}

TEST(Reference, CausalMaskLetsTheLastQuerySeeAll) {
    const Mask mask = causal_mask(2, 4);
    const bool expected[] = {false, false, false, true, false, false, false, false};
    for (Index i = 0; i < 8; ++i) EXPECT_EQ(mask.data()[i], expected[i]) << i;
    EXPECT_TRUE(std::as_const(mask)(0, 3));
    const Mask tall = causal_mask(3, 1);
    EXPECT_TRUE(std::as_const(tall)(0, 0));
    EXPECT_FALSE(std::as_const(tall)(2, 0));
}

TEST(Reference, SplitAndMergeAreInverse) {
    const Array x = exact(Tensor::arange(2 * 3 * 10).view({2, 3, 10}));
    const Array heads = split_heads(x, 5);
    EXPECT_EQ(heads.shape, (Shape{2, 5, 3, 2}));
    EXPECT_EQ(heads.value[2], 10);  // b 0, head 0, token 1, feature 0
    EXPECT_EQ(merge_heads(heads).value, x.value);
}

/// Right float32 programs stay within the bounds, from small scores to ±1e4.
TEST(Reference, ErrorBoundsHoldForFloat32) {
    Random random(3);
    for (const float size : {0.1F, 1.0F, 10.0F, 50.0F})
        for (int round = 0; round < 10; ++round) {
            const judge::Sizes n = judge::random_sizes(random);
            const Tensor q = judge::random_tensor(random, {n.B, n.H, n.T, n.d}) * size;
            const Tensor k = judge::random_tensor(random, {n.B, n.H, n.S, n.d}) * size;
            const Tensor v = judge::random_tensor(random, {n.B, n.H, n.S, n.d_v});
            const Mask mask = judge::random_mask(random, {n.T, n.S});
            const given::Attended actual = given::scaled_dot_product_attention(q, k, v, mask);
            const Attended expected = attention(exact(q), exact(k), exact(v), mask);
            const auto weights =
                judge::difference({"weights", {}, {"b", "h", "t", "s"}}, actual.weights, expected.weights);
            const auto context =
                judge::difference({"context", {}, {"b", "h", "t", "i"}}, actual.context, expected.context);
            EXPECT_FALSE(weights) << weights->message;
            EXPECT_FALSE(context) << context->message;
        }
}

/// ... and are tight enough to see a relative error of 1e-3 in ordinary scores.
TEST(Reference, ErrorBoundsSeeSmallMistakes) {
    Random random(4);
    const judge::Sizes n = judge::random_sizes(random);
    const Tensor q = judge::random_tensor(random, {n.B, n.H, n.T, n.d});
    const Tensor k = judge::random_tensor(random, {n.B, n.H, n.S, n.d});
    const Array expected = masked_softmax(scores(exact(q), exact(k)), Mask{});
    const Array wrong = masked_softmax(scores(exact(q * 1.001F), exact(k)), Mask{});
    EXPECT_TRUE(judge::difference({"weights", {}, {"b", "h", "t", "s"}}, to_tensor(wrong), expected));
}

}  // namespace
}  // namespace headway::reference
