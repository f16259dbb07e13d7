#include "positions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

// Numbers to follow by hand. Quarter turns: (1, 0) becomes (0, 1), then (-1, 0), as on the circle of lesson 04.
namespace headway::ex13 {
namespace {

const float quarter = std::acos(0.0F);  // π/2
constexpr float tolerance = 1e-5F;

TEST(TokenPositions, CountsFromTheFirstRealToken) {
    const Tensor p = token_positions({0, 2}, 0, 4);
    ASSERT_EQ(p.shape(), (Shape{2, 4}));
    EXPECT_EQ(to_string(p),
              "[[0, 1, 2, 3],\n"
              " [0, 0, 0, 1]]");
    EXPECT_EQ(to_string(token_positions({0, 2}, 4, 1)),  // the next token
              "[[4],\n"
              " [2]]");
}

TEST(RotationAngles, FallFromPairToPair) {
    const Tensor angles = rotation_angles(Tensor::rows({{0, 1, 20}}), 4, 100);
    ASSERT_EQ(angles.shape(), (Shape{1, 3, 2}));
    EXPECT_NEAR(angles(0, 1, 0), 1, tolerance);
    EXPECT_NEAR(angles(0, 1, 1), 0.1F, tolerance);  // 100^(-2/4)
    EXPECT_NEAR(angles(0, 2, 0), 20, tolerance);
    EXPECT_NEAR(angles(0, 2, 1), 2, tolerance);
}

TEST(RotatePairs, TurnsNeighbours) {
    const Tensor x = Tensor::of({1, 1, 1, 4}, {1, 0, 5, 7});
    const Tensor y = rotate_pairs(x, Tensor::of({1, 1, 2}, {quarter, 0}));
    ASSERT_EQ(y.shape(), (Shape{1, 1, 1, 4}));
    EXPECT_NEAR(y(0, 0, 0, 0), 0, tolerance);
    EXPECT_NEAR(y(0, 0, 0, 1), 1, tolerance);
    EXPECT_NEAR(y(0, 0, 0, 2), 5, tolerance);  // an angle of 0
    EXPECT_NEAR(y(0, 0, 0, 3), 7, tolerance);
}

TEST(RotateHalves, TurnsFeaturesHalfAHeadApart) {
    const Tensor x = Tensor::of({1, 1, 1, 4}, {1, 5, 0, 7});
    const Tensor y = rotate_halves(x, Tensor::of({1, 1, 2}, {quarter, 0}));
    EXPECT_NEAR(y(0, 0, 0, 0), 0, tolerance);
    EXPECT_NEAR(y(0, 0, 0, 2), 1, tolerance);
    EXPECT_NEAR(y(0, 0, 0, 1), 5, tolerance);
    EXPECT_NEAR(y(0, 0, 0, 3), 7, tolerance);
}

TEST(Conversion, GoesHeadByHeadAndBack) {
    const Tensor two_heads = Tensor::arange(8), one_head = Tensor::arange(6);
    EXPECT_EQ(to_string(pairs_to_halves(two_heads, 2)), "[0, 2, 1, 3, 4, 6, 5, 7]");
    EXPECT_EQ(to_string(pairs_to_halves(one_head, 1)), "[0, 2, 4, 1, 3, 5]");
    EXPECT_EQ(to_string(halves_to_pairs(one_head, 1)), "[0, 3, 1, 4, 2, 5]");
}

TEST(RotaryAttention, DependsOnDistanceAlone) {
    const Tensor q = Tensor::of({1, 1, 1, 2}, {2, 1}), k = Tensor::of({1, 1, 2, 2}, {1, 0, 3, -1});
    const Tensor v = Tensor::of({1, 1, 2, 1}, {0, 1});
    const auto at = [&](float first) {
        const Tensor keys = Tensor::rows({{first, first + 1}});
        return rotary_attention(q, k, v, keys.slice(1, 1, 2), keys, 10'000, Mask{})(0, 0, 0, 0);
    };
    EXPECT_NEAR(at(0), at(50), 1e-4F);
}

TEST(Decode, TurnsEachKeyOnce) {
    const Tensor one = Tensor::of({1, 1, 1, 2}, {1, 0});
    const Decoded first = decode({}, one, one, one, {0}, 10'000);
    const Decoded second = decode(first.cache, one, one, one, {0}, 10'000);
    ASSERT_EQ(second.cache.k.shape(), (Shape{1, 1, 2, 2}));
    EXPECT_NEAR(second.cache.k(0, 0, 0, 0), 1, tolerance);  // position 0 turns nothing
    EXPECT_NEAR(second.cache.k(0, 0, 1, 0), std::cos(1.0F), tolerance);
    EXPECT_NEAR(second.cache.k(0, 0, 1, 1), std::sin(1.0F), tolerance);
    EXPECT_NEAR(second.cache.v(0, 0, 1, 0), 1, tolerance);  // values are not turned
}

TEST(InProjection, StacksQueriesKeysAndValues) {
    const Tensor w_q = Tensor::rows({{1, 2}}), w_k = Tensor::rows({{3}}), w_v = Tensor::rows({{4}});  // D = 1
    const Packed packed = pack_in_projection(w_q, w_k, w_v, {}, {}, {});
    ASSERT_EQ(packed.weight.shape(), (Shape{4, 1}));
    EXPECT_EQ(packed.weight(2, 0), 3);
    EXPECT_FALSE(packed.bias.defined());
    const Projections parts = unpack_in_projection(packed, 2, 1);
    EXPECT_EQ(to_string(parts.w_q), to_string(w_q));
    EXPECT_EQ(to_string(parts.w_v), to_string(w_v));
    EXPECT_THROW(unpack_in_projection(packed, 3, 2), std::invalid_argument);
}

}  // namespace
}  // namespace headway::ex13
