// What the lesson says of training: it takes minutes to see.
#include "labs/train/language.hpp"
#include "labs/train/training.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headway::lab {
namespace {

Index first_step_with(const std::vector<Look>& looks, double Look::*score, double at_least) {
    const auto found =
        std::find_if(looks.begin(), looks.end(), [&](const Look& look) { return look.*score >= at_least; });
    return found == looks.end() ? -1 : found->step;
}

TEST(HeadsForm, ThePreviousTokenHeadFirstThenInductionThenCopyingIsRight) {
    const Language language;
    Training training(language, {}, {8});
    while (!training.done() && training.looks().back().induction < 0.9) training.step();
    const auto& looks = training.looks();
    const Index previous = first_step_with(looks, &Look::previous, 0.8);
    const Index induction = first_step_with(looks, &Look::induction, 0.6);
    EXPECT_GT(previous, 0);
    EXPECT_GT(induction, previous);
    EXPECT_GT(looks.back().copy, 0.8);
    EXPECT_GT(looks.back().agree, 0.95);
    EXPECT_GT(looks.back().refer, 0.95);
}

}  // namespace
}  // namespace headway::lab
