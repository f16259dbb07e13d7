#include "backward.hpp"

#include <gtest/gtest.h>

#include <cmath>

// Numbers to follow by hand. exp(ln 3) = 3, so scores of ln 3 and 0 turn into shares of 3 : 1.
namespace headway::ex07 {
namespace {

const float ln3 = std::log(3.0F);
constexpr float tolerance = 1e-5F;

TEST(SoftmaxBackward, CouplesTheKeysOfARow) {
    const Tensor weights = Tensor::of({1, 1, 1, 2}, {0.75F, 0.25F});
    const Tensor grad = softmax_backward(weights, Tensor::of({1, 1, 1, 2}, {1, 0}));
    ASSERT_EQ(grad.shape(), (Shape{1, 1, 1, 2}));
    EXPECT_NEAR(grad(0, 0, 0, 0), 0.1875, tolerance);   // 3/4 · (1 - 3/4)
    EXPECT_NEAR(grad(0, 0, 0, 1), -0.1875, tolerance);  // 1/4 · (0 - 3/4): the other weight shrinks
}

TEST(SoftmaxBackward, IsZeroIfAllWeightsAreAskedToGrowAlike) {
    const Tensor grad = softmax_backward(Tensor::of({1, 1, 1, 3}, {0.5F, 0.5F, 0}), Tensor::full({1, 1, 1, 3}, 7));
    for (Index s = 0; s < 3; ++s) EXPECT_NEAR(grad(0, 0, 0, s), 0, tolerance);  // they sum to 1 whatever happens
}

TEST(AttentionBackward, ReachesQueriesKeysAndValues) {
    // One query, two keys, d = d_v = 1: scores (ln 3, 0), weights (3/4, 1/4), context 5.
    const Tensor q = Tensor::of({1, 1, 1, 1}, {ln3});
    const Tensor k = Tensor::of({1, 1, 2, 1}, {1, 0});
    const Tensor v = Tensor::of({1, 1, 2, 1}, {4, 8});
    const AttentionGradients grad = attention_backward(q, k, v, Mask{}, Tensor::ones({1, 1, 1, 1}));
    EXPECT_NEAR(grad.v(0, 0, 0, 0), 0.75, tolerance);
    EXPECT_NEAR(grad.v(0, 0, 1, 0), 0.25, tolerance);
    // Of the scores: 3/4·(4 - 5) = -3/4 and 1/4·(8 - 5) = 3/4.
    EXPECT_NEAR(grad.q(0, 0, 0, 0), -0.75, tolerance);  // -3/4·1 + 3/4·0
    EXPECT_NEAR(grad.k(0, 0, 0, 0), -0.75 * ln3, tolerance);
    EXPECT_NEAR(grad.k(0, 0, 1, 0), 0.75 * ln3, tolerance);
}

TEST(AttentionBackward, GivesNothingToBlockedKeys) {
    const Tensor one = Tensor::ones({1, 1, 2, 1});
    const Mask mask = Mask::of({2, 2}, {false, true,   // query 0 sees key 0
                                        true, true});  // query 1 sees nothing
    const AttentionGradients grad = attention_backward(one, one, one, mask, one);
    EXPECT_NEAR(grad.v(0, 0, 0, 0), 1, tolerance);
    EXPECT_EQ(grad.v(0, 0, 1, 0), 0);
    EXPECT_EQ(grad.q(0, 0, 1, 0), 0);
    EXPECT_EQ(grad.k(0, 0, 1, 0), 0);
}

TEST(LinearBackward, SumsOverTokensAndAddsToWhatIsThere) {
    // in = 2, out = 1, two tokens.
    const Tensor x = Tensor::of({1, 2, 2}, {1, 2, 3, 4});
    const Tensor weight = Tensor::rows({{5, 6}});
    Tensor grad_weight = Tensor::rows({{100, 200}});
    Tensor grad_bias = Tensor::of({1}, {300});
    const Tensor grad_x = linear_backward(x, weight, Tensor::of({1, 2, 1}, {1, 10}), grad_weight, grad_bias);
    EXPECT_NEAR(grad_weight(0, 0), 131, tolerance);  // 100 + 1·1 + 10·3
    EXPECT_NEAR(grad_weight(0, 1), 242, tolerance);  // 200 + 1·2 + 10·4
    EXPECT_NEAR(grad_bias(0), 311, tolerance);
    EXPECT_NEAR(grad_x(0, 1, 0), 50, tolerance);  // 10·5
    EXPECT_NEAR(grad_x(0, 1, 1), 60, tolerance);
}

TEST(MultiHeadAttentionBackward, ReachesEveryParameter) {
    // One token: its weight is 1, whatever q and k are, so y = w_o·(w_v·x + b_v) + b_o = 7·(3·2 + 1) + 0 = 49.
    const auto number = [](float value) { return Tensor::full({1, 1}, value); };
    const auto bias = [](float value) { return Tensor::full({1}, value); };
    const Parameters p{number(1), bias(0), number(1), bias(0), number(3), bias(1), number(7), bias(0)};
    Parameters g{number(0), bias(0), number(0), bias(0), number(0), bias(0), number(0), bias(0)};
    const Tensor x = Tensor::full({1, 1, 1}, 2);
    const Tensor grad_x = multi_head_attention_backward(x, p, 1, Mask{}, Tensor::ones({1, 1, 1}), g);
    EXPECT_NEAR(grad_x(0, 0, 0), 21, tolerance);   // 7·3
    EXPECT_NEAR(g.v_weight(0, 0), 14, tolerance);  // 7·2
    EXPECT_NEAR(g.v_bias(0), 7, tolerance);
    EXPECT_NEAR(g.out_weight(0, 0), 7, tolerance);  // 3·2 + 1
    EXPECT_NEAR(g.out_bias(0), 1, tolerance);
    EXPECT_NEAR(g.q_weight(0, 0), 0, tolerance);  // a single weight cannot change
}

}  // namespace
}  // namespace headway::ex07
