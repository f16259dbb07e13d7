#include "module.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

// Numbers to follow by hand. exp(ln 3) = 3, so scores of ln 3 and 0 turn into shares of 3 : 1.
namespace headway::ex05 {
namespace {

const float ln3 = std::log(3.0F);
constexpr float tolerance = 1e-5F;

// Two tokens, two heads of width 1: the numbers of exercise 04. With x = I a projection is its weight transposed.
const Tensor x = Tensor::of({1, 2, 2}, {1, 0, 0, 1});

// nn::Linear stores (out, in): row = head, column = token.
nn::StateDict two_heads() {
    return {{"q_proj.weight", Tensor::rows({{ln3, 0}, {0, ln3}})},
            {"k_proj.weight", Tensor::rows({{1, 0}, {1, 0}})},
            {"v_proj.weight", Tensor::rows({{4, 12}, {8, 16}})},
            {"out_proj.weight", Tensor::rows({{1, 1}, {0, 1}})}};  // out = (head 0 + head 1, head 1)
}

TEST(MultiHeadAttention, HasFourSquareProjectionsHoweverManyHeads) {
    const auto attention = make_multi_head_attention({.embed_dim = 6, .num_heads = 3});
    Index count = 0;
    for (const Tensor& parameter : attention->parameters()) count += parameter.numel();
    EXPECT_EQ(count, 4 * 6 * 6 + 4 * 6);

    const auto named = attention->named_parameters();
    ASSERT_EQ(named.size(), 8U);  // weight and bias of q_proj, k_proj, v_proj and out_proj
    EXPECT_EQ(named.front().first, "q_proj.weight");
}

TEST(MultiHeadAttention, LetsEachHeadAttendOnItsOwn) {
    const auto attention = make_multi_head_attention({.embed_dim = 2, .num_heads = 2, .bias = false});
    attention->load_state_dict(two_heads());

    const Tensor w = attention->attention_weights(x, x, Mask{});
    ASSERT_EQ(w.shape(), (Shape{1, 2, 2, 2}));    // (B, H, T, S): heads are not averaged
    EXPECT_NEAR(w(0, 0, 0, 0), 0.75, tolerance);  // head 0, token 0: scores (ln 3, 0)
    EXPECT_NEAR(w(0, 1, 0, 0), 0.5, tolerance);   // head 1, token 0: scores (0, 0)

    const Tensor y = attention->forward(x, x, x, Mask{});
    ASSERT_EQ(y.shape(), (Shape{1, 2, 2}));
    EXPECT_NEAR(y(0, 0, 0), 18, tolerance);  // (3/4·4 + 1/4·12) + (1/2·8 + 1/2·16) = 6 + 12
    EXPECT_NEAR(y(0, 0, 1), 12, tolerance);
    EXPECT_NEAR(y(0, 1, 0), 18, tolerance);  // (1/2·4 + 1/2·12) + (3/4·8 + 1/4·16) = 8 + 10
    EXPECT_NEAR(y(0, 1, 1), 10, tolerance);
}

TEST(MultiHeadAttention, BlocksTheFutureAndTheMaskTogether) {
    const auto attention = make_multi_head_attention({.embed_dim = 2, .num_heads = 2, .bias = false, .causal = true});
    attention->load_state_dict(two_heads());
    // The mask takes key 0 away, the future key 1 from token 0: token 0 sees nothing, token 1 only itself.
    const Tensor y = attention->forward(x, x, x, Mask::of({2}, {true, false}));
    EXPECT_EQ(y(0, 0, 0), 0);
    EXPECT_EQ(y(0, 0, 1), 0);
    EXPECT_NEAR(y(0, 1, 0), 28, tolerance);  // 12 + 16
    EXPECT_NEAR(y(0, 1, 1), 16, tolerance);
}

TEST(MultiHeadAttention, AttendsAcrossSequencesOfDifferentLengths) {
    const auto attention = make_multi_head_attention({.embed_dim = 2, .num_heads = 2, .bias = false});
    attention->load_state_dict(two_heads());
    const Tensor query = Tensor::zeros({1, 1, 2});  // scores 0: every key gets an equal share
    const Tensor y = attention->forward(query, x, x, Mask{});
    ASSERT_EQ(y.shape(), (Shape{1, 1, 2}));
    EXPECT_NEAR(y(0, 0, 0), 20, tolerance);  // (4 + 12) / 2 + (8 + 16) / 2
    EXPECT_NEAR(y(0, 0, 1), 12, tolerance);
}

TEST(MultiHeadAttention, DropsWeightsInTrainingOnly) {
    // One key a sequence, so its weight is 1, and every projection multiplies by 1: the output is the weight.
    const auto attention = make_multi_head_attention({.embed_dim = 1, .bias = false, .dropout = 0.5F, .seed = 7});
    const Tensor one = Tensor::ones({1, 1});
    attention->load_state_dict(
        {{"q_proj.weight", one}, {"k_proj.weight", one}, {"v_proj.weight", one}, {"out_proj.weight", one}});
    const Tensor ones = Tensor::ones({64, 1, 1});

    const Tensor in_training = attention->forward(ones, ones, ones, Mask{});
    Index dropped = 0;
    for (Index b = 0; b < 64; ++b) {
        if (in_training(b, 0, 0) == 0) ++dropped;
        // Either 0 or 1 / (1 - p).
        ASSERT_TRUE(in_training(b, 0, 0) == 0 || in_training(b, 0, 0) == 2) << "yours: " << in_training(b, 0, 0);
    }
    EXPECT_GT(dropped, 0);
    EXPECT_LT(dropped, 64);
    EXPECT_EQ(attention->attention_weights(ones, ones, Mask{})(0, 0, 0, 0), 1);  // before dropout

    attention->eval();
    const Tensor in_eval = attention->forward(ones, ones, ones, Mask{});
    for (Index b = 0; b < 64; ++b) ASSERT_EQ(in_eval(b, 0, 0), 1);
}

TEST(MakeMultiHeadAttention, RefusesOptionsThatDoNotFit) {
    EXPECT_THROW(make_multi_head_attention({.embed_dim = 6, .num_heads = 4}), std::invalid_argument);
    EXPECT_THROW(make_multi_head_attention({.embed_dim = 6, .num_heads = 0}), std::invalid_argument);
    EXPECT_THROW(make_multi_head_attention({.embed_dim = 6, .dropout = 1.0F}), std::invalid_argument);
    EXPECT_NO_THROW(make_multi_head_attention({.embed_dim = 6, .num_heads = 4, .head_dim = 2}));
}

}  // namespace
}  // namespace headway::ex05
