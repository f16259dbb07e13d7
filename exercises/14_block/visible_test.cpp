#include "block.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

// Numbers to follow by hand.
namespace headway::ex14 {
namespace {

constexpr float tolerance = 1e-5F;
constexpr double tiny = 1e-12;  // an eps that changes nothing here

Tensor token(const std::vector<float>& features) {
    return Tensor::of({1, 1, static_cast<Index>(features.size())}, features);
}

const Tensor one_and_one = Tensor::ones({2}), no_bias = Tensor::zeros({2});

TEST(LayerNorm, HasMeanZeroAndVarianceOne) {
    const Tensor y = layer_norm(token({1, 5}), one_and_one, no_bias, tiny);  // mean 3, variance 4
    ASSERT_EQ(y.shape(), (Shape{1, 1, 2}));
    EXPECT_NEAR(y(0, 0, 0), -1, tolerance);
    EXPECT_NEAR(y(0, 0, 1), 1, tolerance);
    const Tensor z = layer_norm(token({1, 5}), Tensor::of({2}, {10, 100}), Tensor::of({2}, {0.5F, 0}), tiny);
    EXPECT_NEAR(z(0, 0, 0), -9.5F, 10 * tolerance);
    EXPECT_NEAR(z(0, 0, 1), 100, 100 * tolerance);
}

TEST(LayerNorm, AddsEpsInsideTheRoot) {
    EXPECT_NEAR(layer_norm(token({1, 5}), one_and_one, no_bias, 12)(0, 0, 1), 0.5F, tolerance);  // 2 / √(4 + 12)
}

TEST(RmsNorm, SubtractsNoMean) {
    const Tensor y = rms_norm(token({1, 7}), one_and_one, tiny);  // mean of squares 25
    EXPECT_NEAR(y(0, 0, 0), 0.2F, tolerance);
    EXPECT_NEAR(y(0, 0, 1), 1.4F, tolerance);
}

TEST(LayerNormBackward, AGradientThatShiftsAllFeaturesIsLost) {
    const auto grad = layer_norm_backward(token({1, 2, 6}), Tensor::ones({3}), tiny, token({1, 1, 1}));
    for (Index feature = 0; feature < 3; ++feature) {
        EXPECT_NEAR(grad.x(0, 0, feature), 0, tolerance);
        EXPECT_NEAR(grad.bias(feature), 1, tolerance);
    }
}

TEST(RmsNormBackward, AGradientAlongTheTokenIsLost) {
    const auto grad = rms_norm_backward(token({1, 7}), one_and_one, tiny, token({1, 7}));
    EXPECT_NEAR(grad.x(0, 0, 0), 0, tolerance);
    EXPECT_NEAR(grad.x(0, 0, 1), 0, tolerance);
    EXPECT_NEAR(grad.gain(1), 7 * 1.4F, tolerance);
}

TEST(Gelu, HasTwoFormulas) {
    const Tensor x = Tensor::of({3}, {0, 1, -2});
    const Tensor exact = gelu(x, Gelu::exact), tanh = gelu(x, Gelu::tanh);
    EXPECT_EQ(exact(0), 0);
    EXPECT_NEAR(exact(1), 0.841345F, tolerance);  // 1 · Φ(1)
    EXPECT_NEAR(tanh(1), 0.841192F, tolerance);
    EXPECT_NEAR(exact(2), -0.045500F, tolerance);
    EXPECT_NEAR(tanh(2), -0.045402F, tolerance);
}

TEST(GeluBackward, IsAHalfAtZero) {
    const Tensor zero = Tensor::zeros({1}), three = Tensor::full({1}, 3);
    EXPECT_NEAR(gelu_backward(zero, three, Gelu::exact)(0), 1.5F, tolerance);
    EXPECT_NEAR(gelu_backward(zero, three, Gelu::tanh)(0), 1.5F, tolerance);
}

/// D = 2, F = 1.
const MlpWeights small{Tensor::rows({{1}, {1}}), Tensor::of({1}, {-1}), Tensor::rows({{2, 3}}),
                       Tensor::of({2}, {0, 1})};

TEST(Mlp, ActivatesBetweenTwoMaps) {
    const Tensor y = mlp(small, token({1, 1}), Gelu::exact);  // gelu(1 + 1 - 1) = 0.841345
    EXPECT_NEAR(y(0, 0, 0), 2 * 0.841345F, tolerance);
    EXPECT_NEAR(y(0, 0, 1), 3 * 0.841345F + 1, tolerance);
    const MlpGradients grad = mlp_backward(small, token({1, 1}), token({1, 0}), Gelu::exact);
    EXPECT_NEAR(grad.weights.w_out(0, 0), 0.841345F, tolerance);
    EXPECT_NEAR(grad.weights.b_out(0), 1, tolerance);
    EXPECT_NEAR(grad.x(0, 0, 0), 2 * 1.083315F, tolerance);  // Φ(1) + φ(1)
}

/// An "attention" that doubles.
Block doubling(Order order) {
    const auto twice = [](const Tensor& x) { return x * 2.0F; };
    const MlpWeights none{Tensor::zeros({2, 1}), Tensor::zeros({1}), Tensor::zeros({1, 2}), Tensor::zeros({2})};
    return {{one_and_one, no_bias},
            {one_and_one, no_bias},
            none,
            {twice, [=](const Tensor&, const Tensor& grad_y) { return twice(grad_y); }},
            order,
            Gelu::exact,
            tiny};
}

TEST(Block, NormsBeforeOrAfterTheSublayers) {
    const Tensor x = token({1, 5});
    const Tensor pre = block_forward(doubling(Order::pre_norm), x), post = block_forward(doubling(Order::post_norm), x);
    EXPECT_NEAR(pre(0, 0, 0), 1 + 2 * -1, tolerance);
    EXPECT_NEAR(pre(0, 0, 1), 5 + 2 * 1, tolerance);
    EXPECT_NEAR(post(0, 0, 0), -1, tolerance);
    EXPECT_NEAR(post(0, 0, 1), 1, tolerance);
}

TEST(Block, AGradientGoesPastTheSublayersToo) {
    const BlockGradients grad = block_backward(doubling(Order::pre_norm), token({1, 5}), token({3, 3}));
    EXPECT_NEAR(grad.x(0, 0, 0), 3, tolerance);  // by the residuals alone: a norm loses what shifts all features
    EXPECT_NEAR(grad.norm1.bias(0), 6, tolerance);
}

TEST(Stack, GivesTheGradientsOfEachBlock) {
    const std::vector<Block> two{doubling(Order::pre_norm), doubling(Order::pre_norm)};
    const Tensor x = token({1, 5}), grad_y = token({1, 2});
    const auto grads = stack_backward(two, x, grad_y);
    ASSERT_EQ(grads.size(), 2U);
    const BlockGradients last = block_backward(two[1], block_forward(two[0], x), grad_y);
    EXPECT_NEAR(grads[1].x(0, 0, 0), last.x(0, 0, 0), tolerance);
    EXPECT_NEAR(grads[0].x(0, 0, 1), block_backward(two[0], x, last.x).x(0, 0, 1), tolerance);
    EXPECT_THROW(stack_backward({}, x, grad_y), std::invalid_argument);
}

}  // namespace
}  // namespace headway::ex14
