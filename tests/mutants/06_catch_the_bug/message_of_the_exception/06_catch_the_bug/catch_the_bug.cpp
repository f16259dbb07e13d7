#include "catch_the_bug.hpp"

#include <cmath>
#include <string>

namespace headway::ex06 {
namespace {

Inputs tiny() {
    Inputs in;
    in.query = Tensor::of({1, 1, 3}, {1, 2, 3});
    in.key = Tensor::of({1, 2, 3}, {1, 0, 0, 0, 1, 0});
    in.value = Tensor::of({1, 2, 3}, {5, 6, 7, 8, 9, 10});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(3);
    return in;
}

TEST(Errors, HeadsMustDivideFeatures) {
    Inputs in = tiny();
    in.num_heads = 2;
    try {
        attention(in);
        FAIL() << "nothing thrown";
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "attention: 3 features cannot be split into 2 heads");
    }
}

TEST(Values, AreWeighted) {
    const Attended out = attention(tiny());
    const float e = std::exp(1 / std::sqrt(3.f));
    EXPECT_NEAR(out.weights(0, 0, 0, 1), e / (1 + e), 1e-5);
    EXPECT_NEAR(out.output(0, 0, 0), (5 + 8 * e) / (1 + e), 1e-4);
    EXPECT_NEAR(out.output(0, 0, 2), (7 + 10 * e) / (1 + e), 1e-4);
}

}  // namespace
}  // namespace headway::ex06
