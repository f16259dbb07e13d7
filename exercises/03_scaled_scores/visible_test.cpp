#include "scaled_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>

// Numbers to follow by hand. exp(ln 3) = 3, so scores of ln 3 and 0 turn into shares of 3 : 1.
namespace headway::ex03 {
namespace {

const float ln3 = std::log(3.0F);
constexpr float tolerance = 1e-6F;

TEST(AttentionScores, AreDividedBySqrtHeadDim) {
    // B = 1, H = 2, T = 1, S = 2, head_dim = 4 (so the model width would be 8): divide by √4 = 2.
    const Tensor q = Tensor::of({1, 2, 1, 4}, {1, 2, 3, 4,                // head 0
                                               1, 1, 1, 1});              // head 1
    const Tensor k = Tensor::of({1, 2, 2, 4}, {1, 1, 1, 1, 4, 3, 2, 1,    // head 0: keys 0, 1
                                               2, 0, 0, 0, 1, 2, 3, 4});  // head 1: keys 0, 1
    const Tensor scores = attention_scores(q, k);
    ASSERT_EQ(scores.shape(), (Shape{1, 2, 1, 2}));
    EXPECT_NEAR(scores(0, 0, 0, 0), 5, tolerance);   // (1 + 2 + 3 + 4) / 2
    EXPECT_NEAR(scores(0, 0, 0, 1), 10, tolerance);  // (4 + 6 + 6 + 4) / 2
    EXPECT_NEAR(scores(0, 1, 0, 0), 1, tolerance);   // 2 / 2
    EXPECT_NEAR(scores(0, 1, 0, 1), 5, tolerance);   // (1 + 2 + 3 + 4) / 2
}

TEST(CausalMask, LetsTheLastQuerySeeEveryKey) {
    // 1 = may not attend
    EXPECT_EQ(to_string(causal_mask(3, 3)),
              "[[0, 1, 1],\n"
              " [0, 0, 1],\n"
              " [0, 0, 0]]");
    EXPECT_EQ(to_string(causal_mask(2, 3)),  // two queries at the end of three keys
              "[[0, 0, 1],\n"
              " [0, 0, 0]]");
}

TEST(PaddingMask, BlocksWhatLiesBehindTheEndOfEachSequence) {
    const Mask mask = padding_mask({1, 3}, 3);
    ASSERT_EQ(mask.shape(), (Shape{2, 1, 1, 3}));
    EXPECT_FALSE(mask(0, 0, 0, 0));  // sequence 0 has one token ...
    EXPECT_TRUE(mask(0, 0, 0, 1));   // ... and then padding
    EXPECT_TRUE(mask(0, 0, 0, 2));
    EXPECT_FALSE(mask(1, 0, 0, 2));  // sequence 1 fills its row
}

TEST(MaskedSoftmax, SharesAmongTheKeysThatAreNotBlocked) {
    const Tensor scores = Tensor::of({1, 1, 1, 3}, {ln3, 0, 100});
    const Tensor w = masked_softmax(scores, Mask::of({3}, {false, false, true}));
    ASSERT_EQ(w.shape(), (Shape{1, 1, 1, 3}));
    EXPECT_NEAR(w(0, 0, 0, 0), 0.75, tolerance);  // 3 / (3 + 1): the blocked 100 does not count
    EXPECT_NEAR(w(0, 0, 0, 1), 0.25, tolerance);
    EXPECT_EQ(w(0, 0, 0, 2), 0);
}

TEST(MaskedSoftmax, GivesZerosWhereEveryKeyIsBlocked) {
    const Tensor w = masked_softmax(Tensor::of({1, 1, 2, 2}, {7, 7, 7, 7}), Mask::of({2, 1}, {true, false}));
    EXPECT_EQ(w(0, 0, 0, 0), 0);  // query 0 may attend to nothing; 0 / 0 would be NaN
    EXPECT_EQ(w(0, 0, 0, 1), 0);
    EXPECT_NEAR(w(0, 0, 1, 0), 0.5, tolerance);
    EXPECT_NEAR(w(0, 0, 1, 1), 0.5, tolerance);
}

TEST(ScaledDotProductAttention, GathersValuesByTheirWeights) {
    // One head, T = S = 2, head_dim = 1, causal.
    const Tensor q = Tensor::of({1, 1, 2, 1}, {5, ln3});
    const Tensor k = Tensor::of({1, 1, 2, 1}, {0, 1});
    const Tensor v = Tensor::of({1, 1, 2, 2}, {4, 40, 8, 80});
    const Attended attended = scaled_dot_product_attention(q, k, v, Mask::of({2, 2}, {false, true, false, false}));
    ASSERT_EQ(attended.weights.shape(), (Shape{1, 1, 2, 2}));
    ASSERT_EQ(attended.context.shape(), (Shape{1, 1, 2, 2}));
    // Query 0 sees key 0 only.
    EXPECT_NEAR(attended.weights(0, 0, 0, 0), 1, tolerance);
    EXPECT_NEAR(attended.context(0, 0, 0, 0), 4, 1e-5);
    EXPECT_NEAR(attended.context(0, 0, 0, 1), 40, 1e-4);
    // Query 1 has scores (0, ln 3): 1/4 of (4, 40) and 3/4 of (8, 80).
    EXPECT_NEAR(attended.weights(0, 0, 1, 1), 0.75, tolerance);
    EXPECT_NEAR(attended.context(0, 0, 1, 0), 7, 1e-5);
    EXPECT_NEAR(attended.context(0, 0, 1, 1), 70, 1e-4);
}

}  // namespace
}  // namespace headway::ex03
