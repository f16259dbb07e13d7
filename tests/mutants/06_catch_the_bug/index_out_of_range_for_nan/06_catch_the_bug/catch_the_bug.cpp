#include "catch_the_bug.hpp"

#include <string>
#include <vector>

namespace headway::ex06 {
namespace {

unsigned favourite(const Tensor& weights, Index b, Index h, Index t) {
    unsigned best = -1;
    float most = 0;
    for (unsigned s = 0; s < weights.size(3); ++s)
        if (weights(b, h, t, s) > most) most = weights(b, h, t, best = s);
    return best;
}

class Favourite : public testing::Test {
protected:
    void SetUp() override {
        in.query = Tensor::eye(3).view({1, 3, 3}) * 50.f;
        in.key = Tensor::eye(3).view({1, 3, 3});
        in.value = Tensor::of({1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
        in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(3);
    }
    Inputs in;
    std::vector<std::string> names{"first", "second", "third"};
};

TEST_F(Favourite, IsTheKeyThatFits) {
    const Tensor weights = attention(in).weights;
    for (Index t = 0; t < 3; ++t) EXPECT_EQ(names[favourite(weights, 0, 0, t)], names[static_cast<std::size_t>(t)]);
}

TEST_F(Favourite, IsNoneThatIsBlocked) {
    in.mask = Mask::of({3, 3}, {1, 0, 0, 1, 1, 0, 1, 0, 1});
    const Tensor weights = attention(in).weights;
    for (Index t = 0; t < 3; ++t) EXPECT_NE(names[favourite(weights, 0, 0, t)], "first");
    EXPECT_EQ(names[favourite(weights, 0, 0, 1)], "third");
    EXPECT_EQ(weights(0, 0, 2, 2), 0);
}

TEST_F(Favourite, IsTheSameForScoresOfThousands) {
    in.query *= 100.f;
    const Attended out = attention(in);
    for (Index t = 0; t < 3; ++t) EXPECT_EQ(names[favourite(out.weights, 0, 0, t)], names[static_cast<std::size_t>(t)]);
    for (Index t = 0; t < 3; ++t) EXPECT_NEAR(out.output(0, t, 1), 3 * t + 2, 1e-3);
}

}  // namespace
}  // namespace headway::ex06
