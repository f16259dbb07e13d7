#include "single_head.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

// Numbers to follow by hand. exp(ln 3) = 3, so scores of ln 3 and 0 turn into shares of 3 : 1.
namespace headway::ex01 {
namespace {

const float ln3 = std::log(3.0F);
constexpr float tolerance = 1e-6F;

TEST(SoftmaxRows, TurnsEachRowIntoShares) {
    const Tensor w = softmax_rows(Tensor::rows({{ln3, 0}, {5, 5}}));
    ASSERT_EQ(w.shape(), (Shape{2, 2}));
    EXPECT_NEAR(w(0, 0), 0.75, tolerance);  // 3 / (3 + 1)
    EXPECT_NEAR(w(0, 1), 0.25, tolerance);  // 1 / (3 + 1)
    EXPECT_NEAR(w(1, 0), 0.5, tolerance);   // equal scores, equal shares
    EXPECT_NEAR(w(1, 1), 0.5, tolerance);
}

TEST(SoftmaxRows, SurvivesLargeScores) {
    // exp(10000) is too large for a float. Less the row's maximum the scores are 0, 0 and -20000, 0.
    const Tensor w = softmax_rows(Tensor::rows({{10000, 10000}, {-10000, 10000}}));
    EXPECT_NEAR(w(0, 0), 0.5, tolerance);
    EXPECT_NEAR(w(0, 1), 0.5, tolerance);
    EXPECT_NEAR(w(1, 0), 0, tolerance);
    EXPECT_NEAR(w(1, 1), 1, tolerance);
}

TEST(AttentionWeights, DivideScoresByTheRootOfTheKeyWidth) {
    const Tensor q = Tensor::rows({{ln3, ln3, 0, 0}});            // (1, 4)
    const Tensor k = Tensor::rows({{1, 1, 5, 5}, {0, 0, 7, 7}});  // (2, 4)
    const Tensor w = attention_weights(q, k);                     // q·kᵀ = (2 ln 3, 0), by √4 = 2: (ln 3, 0)
    ASSERT_EQ(w.shape(), (Shape{1, 2}));
    EXPECT_NEAR(w(0, 0), 0.75, tolerance);
    EXPECT_NEAR(w(0, 1), 0.25, tolerance);
}

TEST(AttentionWeights, RefuseWidthsThatDiffer) {
    EXPECT_THROW(attention_weights(Tensor::zeros({2, 3}), Tensor::zeros({2, 4})), std::invalid_argument);
}

TEST(SingleHeadAttention, GathersProjectedValuesInOneRowAToken) {
    const Tensor x = Tensor::eye(2);                          // two tokens: x·w is w itself
    const Tensor w_q = Tensor::rows({{ln3}, {0}});            // q = ln 3, 0
    const Tensor w_k = Tensor::rows({{1}, {0}});              // k = 1, 0
    const Tensor w_v = Tensor::rows({{4, 0, 8}, {0, 4, 8}});  // v: one row per token, wider than x
    const Tensor y = single_head_attention(x, w_q, w_k, w_v);
    ASSERT_EQ(y.shape(), (Shape{2, 3}));
    // Token 0: scores (ln 3, 0), shares 3/4 and 1/4 of the rows of v.
    EXPECT_NEAR(y(0, 0), 3, 1e-5);
    EXPECT_NEAR(y(0, 1), 1, 1e-5);
    EXPECT_NEAR(y(0, 2), 8, 1e-5);
    // Token 1: scores (0, 0), half of each.
    EXPECT_NEAR(y(1, 0), 2, 1e-5);
    EXPECT_NEAR(y(1, 1), 2, 1e-5);
    EXPECT_NEAR(y(1, 2), 8, 1e-5);
}

TEST(WithResidual, AddsToTheTokenAndLeavesItAsItWas) {
    const Tensor x = Tensor::rows({{1, 2}, {3, 4}});
    const Tensor y = with_residual(x, Tensor::rows({{10, 20}, {30, 40}}));
    EXPECT_EQ(y(0, 0), 11);
    EXPECT_EQ(y(0, 1), 22);
    EXPECT_EQ(y(1, 0), 33);
    EXPECT_EQ(y(1, 1), 44);
    EXPECT_EQ(x(0, 0), 1);
}

}  // namespace
}  // namespace headway::ex01
