// What the lessons say of a trained model: it takes minutes to see.
#include "labs/prune/pruning.hpp"
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

/// The model of eight heads that the labs train, to its end.
Training& trained() {
    static const Language language;
    static Training training(language, {}, {8});
    while (!training.done()) training.step();
    return training;
}

TEST(HeadsForm, ThePreviousTokenHeadFirstThenInductionThenCopyingIsRight) {
    const auto& looks = trained().looks();
    const Index previous = first_step_with(looks, &Look::previous, 0.8);
    const Index induction = first_step_with(looks, &Look::induction, 0.6);
    EXPECT_GT(previous, 0);
    EXPECT_GT(induction, previous);
    EXPECT_GT(looks.back().copy, 0.8);
    EXPECT_GT(looks.back().agree, 0.95);
    EXPECT_GT(looks.back().refer, 0.95);
}

TEST(HeadsForm, SomeCanGoButNotHalf) {
    LanguageModel& model = trained().model();
    const Batch& text = trained().validation();
    const double whole = model.loss(text);
    const std::size_t count = removable(remove_one_by_one(model, text, text), whole, 0.01);
    EXPECT_GE(count, 2U);
    EXPECT_LT(count, 8U);
    const auto losses = losses_without_each(model, text);
    const auto dearest = std::max_element(losses.begin(), losses.end()) - losses.begin();
    EXPECT_EQ(all_heads(model)[static_cast<std::size_t>(dearest)].block, 0);
}

TEST(HeadsForm, InductionHeadsCoverForEachOther) {
    LanguageModel& model = trained().model();
    const Batch& text = trained().validation();
    // A head counts as one for induction by what takes most of its attention.
    std::vector<HeadPlace> inducers;
    for (const HeadScore& score : score_heads(model, text))
        if (score.induction > 0.5) inducers.push_back({score.block, score.head});
    ASSERT_GE(inducers.size(), 2U);
    const auto copied_without = [&](const std::vector<HeadPlace>& heads) {
        return remove_in_order(model, heads, text).back().copy;
    };
    for (const HeadPlace& inducer : inducers) EXPECT_GT(copied_without({inducer}), 0.7) << inducer.head;
    EXPECT_LT(copied_without(inducers), 0.4);
}

}  // namespace
}  // namespace headway::lab
