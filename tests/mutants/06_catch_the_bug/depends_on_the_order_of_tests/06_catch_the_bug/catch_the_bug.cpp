#include "catch_the_bug.hpp"

namespace headway::ex06 {
namespace {

Inputs shared;
Attended first;
int step = 0;

TEST(Weights, Step1Prepare) {
    Random random(5);
    shared.query = random.normal({2, 3, 4});
    shared.key = random.normal({2, 5, 4});
    shared.value = random.normal({2, 5, 4});
    shared.w_q = random.normal({4, 4});
    shared.w_k = random.normal({4, 4});
    shared.w_v = random.normal({4, 4});
    shared.w_o = random.normal({4, 4});
    shared.num_heads = 2;
    first = attention(shared);
    for (Index s = 0; s < 5; ++s) EXPECT_GT(first.weights(1, 1, 2, s), 0);
    EXPECT_EQ(++step, 1);
}

TEST(Output, Step2DoublesWithTheValues) {
    shared.value = shared.value * 2.f;
    const Attended second = attention(shared);
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(second.output(1, 2, i), 2 * first.output(1, 2, i), 1e-3);
    EXPECT_EQ(++step, 2);
}

TEST(Weights, Step3OfBlockedKeysAreZero) {
    shared.mask = Mask::of({2, 1, 1, 5}, {0, 0, 0, 1, 1, 0, 1, 0, 1, 0});
    first = attention(shared);
    EXPECT_EQ(first.weights(0, 0, 0, 4), 0);
    EXPECT_EQ(first.weights(1, 0, 2, 1), 0);
    EXPECT_NE(first.weights(0, 1, 2, 1), 0);
    EXPECT_EQ(++step, 3);
}

}  // namespace
}  // namespace headway::ex06
