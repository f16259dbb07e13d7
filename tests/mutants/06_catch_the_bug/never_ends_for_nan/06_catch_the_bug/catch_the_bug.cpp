#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {
namespace {

/// Bisection for the temperature that would make the first weight a half.
float temperature(float weight) {
    float low = 0, high = 64;
    while (high - low != 0) {
        const float middle = (low + high) / 2;
        if (middle == low || middle == high) return middle;
        const float there = 1 / (1 + std::exp(-middle));
        if (there < weight) low = middle;
        if (there > weight) high = middle;
        if (there == weight) return middle;
    }
    return low;
}

Attended two_keys(float first, float second) {
    Inputs in;
    in.query = Tensor::of({1, 1, 4}, {1, 1, 1, 1});
    in.key = Tensor::of({1, 2, 4}, {first, 0, 0, 0, 0, second, 0, 0});
    in.value = Tensor::of({1, 2, 4}, {1, 0, 0, 0, 0, 1, 0, 0});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(4);
    return attention(in);
}

TEST(Temperature, IsTheScoreOverTheRoot) {
    EXPECT_NEAR(temperature(two_keys(3, 0).weights(0, 0, 0, 0)), 1.5f, 1e-3f);
    EXPECT_NEAR(temperature(two_keys(5, 3).weights(0, 0, 0, 0)), 1, 1e-3f);
}

TEST(Temperature, IsTheSameFarUp) {
    EXPECT_NEAR(temperature(two_keys(2001, 1999).weights(0, 0, 0, 0)), 1, 1e-2f);
    EXPECT_NEAR(temperature(two_keys(-1999, -2001).weights(0, 0, 0, 0)), 1, 1e-2f);
}

}  // namespace
}  // namespace headway::ex06
