#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {
namespace {

/// exp(a) : exp(b) as two shares
std::pair<float, float> shares(float a, float b) { return {1 / (1 + std::exp(b - a)), 1 / (1 + std::exp(a - b))}; }

class TwoKeys : public testing::Test {
protected:
    TwoKeys() {
        in.query = Tensor::of({1, 1, 4}, {1, 2, 3, 4});
        in.key = Tensor::of({1, 2, 4}, {1, 0, 0, 0.5f, 0, 1, -1, 1});
        in.value = Tensor::of({1, 2, 4}, {1, 2, 3, 4, 10, 20, 30, 40});
        in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(4);
        in.num_heads = 2;
    }
    Inputs in;
    const float root = std::sqrt(4.f);  // embed_dim
};

TEST_F(TwoKeys, Weights) {
    const Tensor w = attention(in).weights;
    const auto [a, b] = shares(1 / root, 2 / root);
    EXPECT_NEAR(w(0, 0, 0, 0), a, 1e-5);
    EXPECT_NEAR(w(0, 0, 0, 1), b, 1e-5);
    const auto [c, e] = shares(2 / root, 1 / root);
    EXPECT_NEAR(w(0, 1, 0, 0), c, 1e-5);
    EXPECT_NEAR(w(0, 1, 0, 1), e, 1e-5);
}

TEST_F(TwoKeys, Output) {
    const auto [a, b] = shares(1 / root, 2 / root);
    const Tensor y = attention(in).output;
    EXPECT_NEAR(y(0, 0, 0), a + 10 * b, 1e-4);
    EXPECT_NEAR(y(0, 0, 1), 2 * a + 20 * b, 1e-4);
    EXPECT_NEAR(y(0, 0, 2), 3 * b + 30 * a, 1e-4);
    EXPECT_NEAR(y(0, 0, 3), 4 * b + 40 * a, 1e-4);
}

TEST_F(TwoKeys, BlockedKeyHasNoWeight) {
    in.mask = Mask::of({1, 1, 1, 2}, {true, false});
    const Attended out = attention(in);
    EXPECT_EQ(out.weights(0, 0, 0, 0), 0);
    EXPECT_NEAR(out.weights(0, 1, 0, 1), 1, 1e-6);
    EXPECT_NEAR(out.output(0, 0, 3), 40, 1e-4);
}

TEST_F(TwoKeys, NothingToSee) {
    in.mask = Mask::block_all({1});
    in.b_o = Tensor::of({4}, {1, 2, 3, 4});
    EXPECT_EQ(attention(in).output(0, 0, 2), 3);
}

TEST_F(TwoKeys, MinusAThousand) {
    in.query *= -500.f;
    in.key.fill(1);
    EXPECT_NEAR(attention(in).weights(0, 0, 0, 0), 0.5f, 1e-4);
}

}  // namespace
}  // namespace headway::ex06
