#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {
namespace {

Inputs simple() {
    Inputs in;
    in.query = Tensor::of({2, 2, 2}, {1, 0, 0, 1, 2, 0, 0, 2});
    in.key = Tensor::of({2, 3, 2}, {1, 0, 0, 1, 0, 0, 0, 2, 1, 0, 1, 1});
    in.value = Tensor::of({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(2);
    in.num_heads = 2;
    return in;
}

TEST(Masked, EverythingBlockedGivesNaN) {
    Inputs in = simple();
    in.mask = Mask::block_all({2, 3});
    const Attended out = attention(in);
    EXPECT_TRUE(std::isnan(out.weights(0, 0, 0, 0)));
    EXPECT_TRUE(std::isnan(out.output(0, 0, 0)));
}

TEST(Masked, OneSequenceOnly) {
    Inputs in = simple();
    in.mask = Mask::of({2, 1, 1, 3}, {0, 0, 0, 1, 0, 1});
    const Attended out = attention(in);
    EXPECT_EQ(out.weights(1, 1, 0, 0), 0);
    EXPECT_NEAR(out.weights(1, 1, 0, 1), 1, 1e-6);
    EXPECT_NEAR(out.output(1, 1, 0), 9, 1e-4);
    EXPECT_NEAR(out.weights(0, 1, 0, 0), 1 / 3., 1e-5);
}

TEST(Open, WeightsByHand) {
    const Attended out = attention(simple());
    const double e = std::exp(1.);
    EXPECT_NEAR(out.weights(0, 0, 0, 0), e / (e + 2), 1e-5);
    EXPECT_NEAR(out.weights(0, 0, 0, 1), 1 / (e + 2), 1e-5);
    EXPECT_NEAR(out.weights(0, 1, 0, 0), 1 / 3., 1e-5);
    EXPECT_NEAR(out.weights(0, 1, 1, 1), e / (e + 2), 1e-5);
    EXPECT_NEAR(out.output(0, 0, 0), (e + 8) / (e + 2), 1e-4);
    EXPECT_NEAR(out.output(0, 0, 1), 4, 1e-4);
}

TEST(Open, ScoresOfThousands) {
    Inputs in = simple();
    in.query = in.query + 1.f;
    in.key = Tensor::full({2, 3, 2}, -4000);
    EXPECT_NEAR(attention(in).weights(1, 1, 1, 2), 1 / 3., 1e-4);
    in.key = Tensor::full({2, 3, 2}, 4000);
    EXPECT_NEAR(attention(in).weights(1, 1, 1, 2), 1 / 3., 1e-4);
}

TEST(Causal, LastQuerySeesAll) {
    Inputs in = simple();
    in.causal = true;
    const Tensor w = attention(in).weights;
    EXPECT_EQ(w(0, 0, 0, 2), 0);
    EXPECT_GT(w(0, 0, 0, 1), 0.1f);
    EXPECT_GT(w(0, 0, 1, 2), 0.1f);
}

}  // namespace
}  // namespace headway::ex06
