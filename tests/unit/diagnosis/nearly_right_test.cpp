// What is said of answers that lack digits, and not of others.
#include "diagnosis/nearly_right.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace headway::diagnosis {
namespace {

Pair pair_of(std::vector<double> seen) {
    Pair pair{"", reference::exact(Tensor::of({1, 3}, {0.5F, -2.0F, 0.0F})), {}};
    pair.seen = pair.expected;
    pair.seen.value = std::move(seen);
    return pair;
}

TEST(NearlyRight, SaysHowNear) {
    const std::string words = nearly_right({pair_of({0.5, -2.001, 0.0}), pair_of({0.504, -2.0, 0.001})});
    EXPECT_NE(words.find("at most 0.2 % of its largest number"), std::string::npos) << words;
}

TEST(NearlyRight, SaysNoLessThanItIs) {
    const std::string words = nearly_right({pair_of({0.5, -2.0048, 0.0})});
    EXPECT_NE(words.find("at most 0.3 % of its largest number"), std::string::npos) << words;
}

TEST(NearlyRight, IsNotSaidWhereOneNumberIsFarOff) {
    EXPECT_EQ(nearly_right({pair_of({0.5, -2.001, 0.0}), pair_of({0.53, -2.0, 0.0})}), "");
    EXPECT_EQ(nearly_right({pair_of({0.5, -2.001, std::numeric_limits<double>::quiet_NaN()})}), "");
}

TEST(NearlyRight, IsNotSaidWhereASmallNumberIsFarOffBesideLargeOnes) {
    EXPECT_EQ(nearly_right({pair_of({0.5, -2.0, 0.01})}), "");
}

TEST(NearlyRight, IsNotSaidOfCounts) {
    Pair pair{"", reference::exact(Tensor::of({2}, {1000.0F, 2000.0F})), {}};
    pair.seen = pair.expected;
    pair.seen.value[1] += 1;
    EXPECT_EQ(nearly_right({pair}), "");
}

TEST(NearlyRight, IsNotSaidOfNothing) {
    EXPECT_EQ(nearly_right({}), "");
    EXPECT_EQ(nearly_right({pair_of({0.5, -2.0, 0.0})}), "");
}

}  // namespace
}  // namespace headway::diagnosis
