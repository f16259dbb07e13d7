// The model with every decision right is the reference; what it does not predict supports nothing.
#include "diagnosis/answer.hpp"
#include "diagnosis/attention.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/search.hpp"
#include "diagnosis/softmax.hpp"
#include "reference/attention.hpp"
#include "suites/10_tiled_attention/tiling.hpp"

#include <headway/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headway::diagnosis {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Answer number(double value, double error = 0) { return Answer::of({{1}, {value}, {error}}); }

TEST(Model, WithEveryDecisionRightIsTheReference) {
    Random random(3);
    Given given;
    given.input = {random.normal({2, 3, 4, 5}), random.normal({2, 3, 7, 5}), random.normal({2, 3, 7, 6})};
    given.mask = reference::causal_mask(4, 7);
    const auto expected = reference::attention(reference::exact(given.input[0]), reference::exact(given.input[1]),
                                               reference::exact(given.input[2]), given.mask);
    Attention model(given);
    const auto attended = model.context_and_weights(right());
    EXPECT_LT(distance(Answer::of(attended.context), Answer::of(expected.context)), 0.1);
    EXPECT_LT(distance(Answer::of(attended.returned), Answer::of(expected.weights)), 0.1);
}

TEST(Model, RemembersNothingThatADecisionChanged) {
    Random random(4);
    Given given;
    given.input = {random.normal({2, 3, 4, 5}), random.normal({2, 3, 7, 5}), random.normal({2, 3, 7, 6})};
    Attention model(given);
    const Answer before = Answer::of(model.context_and_weights(right()).context);
    model.context_and_weights(with({&mistake("scale_missing"), &mistake("softmax_over_queries")}));
    EXPECT_EQ(distance(Answer::of(model.context_and_weights(right()).context), before), 0);
}

TEST(Model, PreparesHeadsBeforeTheyAreShared) {
    Random random(8);
    Given given;
    given.input = {random.normal({2, 4, 3, 5}), random.normal({2, 2, 7, 5}), random.normal({2, 2, 7, 6})};
    given.H_kv = 2;
    Given doubled = given;
    doubled.input[1] = given.input[1] * 2.0F;
    given.prepared = [](const Array& heads, std::size_t role) {
        return role == 1 ? reference::scale(heads, 2) : heads;
    };
    EXPECT_LT(distance(Answer::of(Attention(given).output(right())), Answer::of(Attention(doubled).output(right()))),
              0.1);
}

TEST(Model, KnowsThatDoubleHoldsWhatFloatLoses) {
    const Array scores{{1, 2}, {-300, -301}, {0, 0}};
    const auto weights = [&](const Choices& choices) {
        return Answer::of(softmax(scores, Blocked(2, false), choices.softmaxing));
    };
    const Answer due = weights(right());
    EXPECT_LT(distance(weights(with({&mistake("softmax_maximum_from_zero_in_double")})), due), 1);
    EXPECT_LT(distance(weights(with({&mistake("softmax_without_maximum_in_double")})), due), 1);
    EXPECT_FALSE(fit(weights(with({&mistake("softmax_maximum_from_zero")})), due));
}

/// The distance of softmax over tiles from softmax at once, in tolerances.
double distance_of_tiles(const Tiling& choices, const Tiles& tiles) {
    Random random(6);
    const Array scores = reference::exact(random.normal({2, 3, 5, 7}) * 3.0F);
    const Array v = reference::exact(random.normal({2, 3, 7, 4}));
    const Mask mask = tiles.causal ? reference::causal_mask(5, 7) : Mask{};
    const std::vector<bool> blocked(scores.value.size(), false);
    const Array expected = reference::matmul(reference::masked_softmax(scores, mask), v);
    return distance(Answer::of(tiled_context(scores, blocked, v, tiles, choices)), Answer::of(expected));
}

TEST(Tiles, OfEverySizeGiveSoftmax) {
    for (const bool causal : {false, true})
        for (const Index tile : {1, 2, 3, 7, 12})
            EXPECT_LT(distance_of_tiles({}, {tile, tile, causal, right().masking.future}), 0.1) << tile;
}

TEST(Tiles, GiveOtherNumbersWhereNothingShrinks) {
    Tiling choices;
    choices.shrinks = Tiling::Shrinks::neither;
    EXPECT_LT(distance_of_tiles(choices, {5, 7, false, nullptr}), 0.1);
    EXPECT_GT(distance_of_tiles(choices, {5, 2, false, nullptr}), 100);
}

TEST(Tiles, ThatShrinkOnceForEachKeyAreRightWithOneKeyEach) {
    Tiling choices;
    choices.shrinks_for_each_key = true;
    EXPECT_LT(distance_of_tiles(choices, {5, 1, false, nullptr}), 0.1);
    EXPECT_GT(distance_of_tiles(choices, {5, 7, false, nullptr}), 100);
}

TEST(Grouping, RightChoicesAreHeadsRepeatedSideBySide) {
    Random random(7);
    Given given;
    given.input = {random.normal({2, 6, 4, 5}), random.normal({2, 2, 7, 5}), random.normal({2, 2, 7, 3})};
    given.H_kv = 2;
    const auto repeated = [&](const Tensor& kv) {
        return reference::exact(cat({kv.slice(1, 0, 1), kv.slice(1, 0, 1), kv.slice(1, 0, 1), kv.slice(1, 1, 2),
                                     kv.slice(1, 1, 2), kv.slice(1, 1, 2)},
                                    1));
    };
    const auto expected = reference::attention(reference::exact(given.input[0]), repeated(given.input[1]),
                                               repeated(given.input[2]), Mask{});
    EXPECT_LT(distance(Answer::of(Attention(given).output(right())), Answer::of(expected.context)), 0.1);
}

TEST(Fit, NanRefutesAFinitePrediction) {
    EXPECT_FALSE(fit(number(1), number(nan)));
    EXPECT_FALSE(fit(number(nan), number(1)));
    ASSERT_TRUE(fit(number(nan), number(nan)));
    EXPECT_EQ(fit(number(nan), number(nan))->compared, 0U);
}

TEST(Fit, WhatIsNotPredictedSupportsNothing) {
    ASSERT_TRUE(fit(number(0, anything), number(17)));
    EXPECT_EQ(fit(number(0, anything), number(17))->compared, 0U);
    EXPECT_EQ(fit(number(0, anything), number(17))->unpredicted, 1U);
    EXPECT_FALSE(fit(number(1, anything_but), number(1)));
}

/// Both have the shape (): a worker that lies may answer either in the place of the other.
TEST(Fit, AFactInWordsIsNoNumber) {
    const Answer number{.parts = {{"next", {{}, {1}, {0}}}}}, fact{.parts = {{"next", {}}}};
    EXPECT_FALSE(fit(number, fact));
    EXPECT_FALSE(fit(fact, number));
    EXPECT_TRUE(fit(fact, fact));
    EXPECT_TRUE(std::isinf(distance(number, fact)));
    EXPECT_FALSE(disturbs(number, number, fact));
}

TEST(Fit, ARefusalIsNoValue) {
    EXPECT_FALSE(fit(number(1), Answer::without_value(Answer::Kind::refused)));
    EXPECT_FALSE(fit(Answer::without_value(Answer::Kind::refused), number(1)));
    EXPECT_TRUE(fit(Answer::without_value(Answer::Kind::accepted), number(1)));
    EXPECT_FALSE(fit(Answer::without_value(Answer::Kind::accepted), Answer::without_value(Answer::Kind::refused)));
}

TEST(Search, FindsThePairThatExplainsEverything) {
    Random random(5);
    const MistakeSet truth{&mistake("scale_missing"), &mistake("softmax_over_heads")};
    std::vector<Observation> observations;
    for (int i = 0; i < 3; ++i) {
        Given given;
        given.input = {random.normal({2, 3, 4, 5}), random.normal({2, 3, 7, 5}), random.normal({2, 3, 7, 6})};
        auto model = std::make_shared<Attention>(given);
        Predict predict = [model](const Choices& c) { return Answer::of(model->context_and_weights(c).context); };
        const Answer seen = predict(with(truth));
        observations.push_back({{}, seen, predict});
    }
    std::vector<const Mistake*> candidates;
    for (const Mistake& mistake : mistakes())
        if (mistake.make != nullptr) candidates.push_back(&mistake);
    const auto sets =
        explanations(observations, candidates, {}, {.most_mistakes = 3, .budget = std::chrono::seconds(60)});
    ASSERT_FALSE(sets.empty());
    EXPECT_EQ(sets.front().size(), 2U);
    EXPECT_TRUE(std::any_of(sets.begin(), sets.end(), [&](const MistakeSet& set) {
        return std::is_permutation(set.begin(), set.end(), truth.begin(), truth.end());
    }));
}

TEST(Search, NamesNothingWhereNothingFits) {
    std::vector<Observation> observations{
        {{}, number(1), [](const Choices& c) { return number(c.scoring.factor({.d = 4})); }}};
    std::vector<const Mistake*> candidates{&mistake("scale_head_dim")};
    observations.front().seen = number(0.37);
    EXPECT_TRUE(explanations(observations, candidates, {}, {}).empty());
}

TEST(Choices, CarryWhatAnExerciseDecidesOtherwise) {
    const Choices usual = right();
    Choices wrong = usual;
    wrong.change<Tiling>().divided = false;
    wrong.change<Tiling>().key_by_key = true;
    const Choices copy = wrong;
    wrong.change<Tiling>().divided = true;
    EXPECT_FALSE(copy.of<Tiling>().divided);
    EXPECT_TRUE(copy.of<Tiling>().key_by_key);
    EXPECT_TRUE(usual.of<Tiling>().divided);
    EXPECT_TRUE(Tiling::right().divided);
}

}  // namespace
}  // namespace headway::diagnosis
