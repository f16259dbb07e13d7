// Whose fault it is that a property does not hold.
#include "grading/credit.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace headway::cli {
namespace {

using verdict::NamedMistake;
using Property = verdict::Test;
using verdict::TestState;

NamedMistake made_in(const std::vector<std::string>& functions, const std::string& decision, verdict::Stage stage) {
    NamedMistake mistake;
    mistake.decision = decision;
    mistake.stage = stage;
    mistake.functions = functions;
    return mistake;
}

/// Of `function`, right given what `given` answers.
Property on_credit(const std::string& function, const std::string& given, const std::vector<std::string>& states) {
    Property test;
    test.state = TestState::passed;
    test.points = test.max_points = 1;
    test.given = given;
    test.function = function;
    test.states = states;
    test.failure.emplace();
    test.failure->function = function;
    return test;
}

verdict::Exercise with(const Property& test, const NamedMistake& mistake) {
    verdict::Exercise exercise;
    exercise.points = 5;
    exercise.tests = {test};
    exercise.diagnosis.emplace();
    exercise.diagnosis->mistakes = {mistake};
    settle_credit(exercise);
    return exercise;
}

TEST(Credit, IsLostToAMistakeInWhatThePropertyStates) {
    Property test = on_credit("forward", "attention_weights", {"mask"});
    test.also_wrong = {{"make_multi_head_attention"}};
    for (const NamedMistake& mistake : {made_in({"forward", "attention_weights"}, "combined", verdict::Stage::mask),
                                        made_in({"forward"}, "mask", verdict::Stage::none),
                                        made_in({"forward (dropout)"}, "", verdict::Stage::mask)}) {
        const verdict::Exercise exercise = with(test, mistake);
        EXPECT_EQ(exercise.points, 4);
        EXPECT_EQ(exercise.tests[0].state, TestState::failed);
        EXPECT_EQ(exercise.tests[0].points, 0);
        EXPECT_FALSE(exercise.tests[0].given);
        EXPECT_FALSE(exercise.tests[0].also_wrong);
        EXPECT_TRUE(exercise.tests[0].failure) << "what is wrong is told";
    }
}

TEST(Credit, IsKeptBesideAnothersMistakeAndBesideAnotherMistake) {
    const Property test = on_credit("attention_weights", "softmax_rows", {"scale"});
    for (const NamedMistake& mistake : {made_in({"softmax_rows", "attention_weights"}, "scale", verdict::Stage::scale),
                                        made_in({"softmax_rows"}, "scale", verdict::Stage::scale),
                                        made_in({"attention_weights"}, "softmax_axis", verdict::Stage::softmax)}) {
        const verdict::Exercise exercise = with(test, mistake);
        EXPECT_EQ(exercise.points, 5);
        EXPECT_EQ(exercise.tests[0].state, TestState::passed);
        EXPECT_EQ(exercise.tests[0].given, "softmax_rows");
        EXPECT_FALSE(exercise.tests[0].failure) << "nothing of it is wrong";
    }
}

TEST(Credit, IsKeptWhereNothingHasAName) {
    verdict::Exercise exercise;
    exercise.tests = {on_credit("forward", "forward", {"mask"})};
    settle_credit(exercise);
    EXPECT_EQ(exercise.tests[0].state, TestState::passed);
    EXPECT_FALSE(exercise.tests[0].failure);
}

/// Of attention_backward alone, which the diagnosis has no name for.
verdict::FunctionState state_beside(const std::vector<Property>& tests) {
    verdict::Exercise exercise;
    exercise.tests = tests;
    exercise.diagnosis.emplace();
    exercise.diagnosis->functions.emplace_back().function = "attention_backward";
    settle_credit(exercise);
    return exercise.diagnosis->functions[0].state;
}

TEST(Credit, IsNotContradictedByAFunctionWithoutAName) {
    using verdict::FunctionState;
    const Property given = on_credit("attention_backward", "softmax_backward", {"scale"});
    EXPECT_EQ(state_beside({given}), FunctionState::unjudged);
    EXPECT_EQ(state_beside({}), FunctionState::unrecognised);
    EXPECT_EQ(state_beside({on_credit("attention_backward", "attention_backward", {})}), FunctionState::unrecognised)
        << "of itself it shows nothing";
    Property fails;
    fails.state = TestState::failed;
    fails.failure.emplace();
    fails.failure->function = "attention_backward";
    EXPECT_EQ(state_beside({given, fails}), FunctionState::unrecognised) << "one of its properties fails";
}

/// Of decode alone, which follows from token_positions; `test` is of decode.
verdict::FunctionDiagnosis told_of_decode(bool has_a_name, const Property& test) {
    verdict::Exercise exercise;
    exercise.tests = {test};
    exercise.diagnosis.emplace();
    verdict::FunctionDiagnosis& one = exercise.diagnosis->functions.emplace_back();
    one.function = "decode";
    one.state = has_a_name ? verdict::FunctionState::named : verdict::FunctionState::follows;
    if (has_a_name) {
        one.mistakes = {"padding_subtracted_before_first"};
        one.given_own = true;
    }
    settle_credit(exercise);
    return exercise.diagnosis->functions[0];
}

TEST(Credit, WhatIsNotJudgedIsNotCalledRight) {
    using verdict::FunctionState;
    const Property given = on_credit("decode", "token_positions", {});
    Property unjudged = given;
    unjudged.state = TestState::failed;
    unjudged.given.reset();
    unjudged.depends_on = "token_positions";
    EXPECT_EQ(told_of_decode(false, given).state, FunctionState::follows);
    EXPECT_EQ(told_of_decode(false, unjudged).state, FunctionState::unjudged);
    EXPECT_EQ(told_of_decode(true, given).given_own, true);
    const verdict::FunctionDiagnosis named = told_of_decode(true, unjudged);
    EXPECT_FALSE(named.given_own);
    EXPECT_EQ(named.inherited, named.mistakes) << "it is token_positions' mistake all the same";
    EXPECT_EQ(named.state, FunctionState::named);
}

TEST(Credit, WhatThrowsOnWrongValuesIsNotJudged) {
    verdict::Exercise exercise;
    exercise.diagnosis.emplace();
    exercise.diagnosis->mistakes = {made_in({"row_scales"}, "row_scale", verdict::Stage::none)};
    verdict::FunctionDiagnosis& waits = exercise.diagnosis->functions.emplace_back();
    waits.function = "append";
    waits.state = verdict::FunctionState::unjudged;
    Property& test = exercise.tests.emplace_back();
    test.state = TestState::failed;
    test.failure.emplace();
    test.failure->function = "append";
    test.failure->kind = verdict::FailureKind::exception;
    const auto depends_on = [](verdict::Exercise one) {
        settle_credit(one);
        return one.tests[0].depends_on.value_or("");
    };
    EXPECT_EQ(depends_on(exercise), "row_scales");
    verdict::Exercise other = exercise;
    other.tests[0].failure->kind = verdict::FailureKind::wrong_behaviour;
    EXPECT_EQ(depends_on(other), "") << "a refusal that is missing may be its own";
    other = exercise;
    other.diagnosis->mistakes.push_back(made_in({"rounded"}, "half_rounding", verdict::Stage::none));
    EXPECT_EQ(depends_on(other), "") << "on which of them it depends is not known";
    other = exercise;
    other.diagnosis->functions[0].state = verdict::FunctionState::named;
    EXPECT_EQ(depends_on(other), "");
}

TEST(Credit, WhatFailsATestOfItsOwnIsNotRightGivenOthers) {
    using verdict::FunctionState;
    verdict::Exercise exercise;
    exercise.diagnosis.emplace();
    verdict::FunctionDiagnosis given;
    given.function = "multi_head_attention";
    given.state = FunctionState::named;
    given.mistakes = {"merge_interleaved"};
    given.given_own = true;
    exercise.diagnosis->functions.push_back(given);
    verdict::FunctionDiagnosis& follows = exercise.diagnosis->functions.emplace_back(given);
    follows.mistakes.clear();
    follows.given_own.reset();
    follows.state = FunctionState::follows;
    const auto settled = [&](std::vector<Property> tests) {
        verdict::Exercise one = exercise;
        one.tests = std::move(tests);
        settle_credit(one);
        return one.diagnosis->functions;
    };
    EXPECT_EQ(settled({})[0].given_own, true);
    EXPECT_EQ(settled({})[1].state, FunctionState::follows);
    Property fails;
    fails.state = TestState::failed;
    fails.failure.emplace();
    fails.failure->function = "multi_head_attention";
    EXPECT_FALSE(settled({fails})[0].given_own);
    EXPECT_EQ(settled({fails})[0].inherited, given.mistakes);
    EXPECT_EQ(settled({fails})[1].state, FunctionState::unjudged);
    fails.depends_on = "merge_heads";
    EXPECT_FALSE(settled({fails})[0].given_own) << "not judged";
}

/// Which functions are named where tiled_attention is right given absorb, and where it depends on absorb: absorb fails
/// a test with this story, and nothing_seen has a mistake with a name.
std::pair<std::string, std::string> named_in_place_of_absorb(const std::vector<std::string>& story, bool is_complete) {
    verdict::Exercise exercise;
    Property fails;
    fails.state = TestState::failed;
    fails.failure.emplace();
    fails.failure->kind = verdict::FailureKind::wrong_value;
    fails.failure->function = "absorb";
    fails.failure->story = story;
    Property depends = fails;
    depends.failure->function = "tiled_attention";
    depends.failure->story = {"tiled_attention(...)"};
    depends.depends_on = "absorb";
    exercise.tests = {fails, on_credit("tiled_attention", "absorb", {}), depends};
    exercise.diagnosis.emplace();
    exercise.diagnosis->complete = is_complete;
    exercise.diagnosis->mistakes = {made_in({"nothing_seen"}, "memory", verdict::Stage::none)};
    exercise.diagnosis->functions.emplace_back().function = "nothing_seen";
    settle_credit(exercise);
    return {*exercise.tests[1].given, *exercise.tests[2].depends_on};
}

TEST(Credit, NamesWhatIsWrongAndNotWhatItWasHandedTo) {
    using Both = std::pair<std::string, std::string>;
    const std::vector<std::string> both{"nothing_seen(B = 6)", "absorb(running) (5 times)"}, alone{"absorb(running)"};
    EXPECT_EQ(named_in_place_of_absorb(both, true), Both("nothing_seen", "nothing_seen"));
    EXPECT_EQ(named_in_place_of_absorb(alone, true), Both("absorb", "absorb")) << "it fails without the other";
    EXPECT_EQ(named_in_place_of_absorb({"nothing_seen(B)", "context(running)", "absorb(running)"}, true),
              Both("absorb", "absorb"))
        << "a third one may be it";
    EXPECT_EQ(named_in_place_of_absorb(both, false), Both("absorb", "absorb")) << "something has no name";
}

TEST(Credit, OfAFunctionThatIsItsOwnGiverIsLostToItsMistakes) {
    const Property test = on_credit("linear_backward", "linear_backward", {"gradients_added"});
    EXPECT_TRUE(breaks(made_in({"linear_backward"}, "gradients_added", verdict::Stage::project), test));
    EXPECT_FALSE(breaks(made_in({"linear_backward"}, "gradient_of_bias", verdict::Stage::project), test));
}

TEST(Credit, ACallThatNeverEndsDependsOnTheFunctionWithTheLoop) {
    for (const auto& [function, other] : {std::pair<std::string, std::string>{"softmax_rows", ""},
                                          {"attention_weights", "softmax_rows"},
                                          {"with_residual", ""}}) {
        Property test;
        test.state = TestState::failed;
        test.failure.emplace();
        test.failure->kind = verdict::FailureKind::timeout;
        test.failure->function = function;
        const verdict::Exercise exercise =
            with(test, made_in({"softmax_rows", "attention_weights"}, "running", verdict::Stage::none));
        EXPECT_EQ(exercise.tests[0].depends_on.value_or(""), other) << function;
    }
}

const std::vector<build::SourceFile> own_source{{"single_head.cpp",
                                                 "namespace headway::ex01 {\n"
                                                 "Tensor softmax_rows(const Tensor& scores) {\n"
                                                 "    return scores(9, 9);\n"
                                                 "}\n"
                                                 "Tensor attention_weights(const Tensor& q,\n"
                                                 "                         const Tensor& k) {\n"
                                                 "    return softmax_rows(q);\n"
                                                 "}\n"
                                                 "}\n"}};

Property fails_at(const std::string& function, int line) {
    Property test;
    test.state = TestState::failed;
    test.failure.emplace();
    test.failure->kind = verdict::FailureKind::exception;
    test.failure->function = function;
    test.failure->at = verdict::SourceLine{"single_head.cpp", line, ""};
    return test;
}

TEST(Places, WhatFailsInAnotherFunctionDependsOnIt) {
    std::vector<Property> tests{fails_at("softmax_rows", 3), fails_at("attention_weights", 3)};
    settle_places(tests, own_source);
    EXPECT_FALSE(tests[0].depends_on);
    EXPECT_EQ(tests[1].depends_on, "softmax_rows");
    EXPECT_EQ(tests[1].state, TestState::failed) << "without a point";
}

TEST(Places, WhatFailsInItselfOrWhereNobodyElseDoesIsItsOwn) {
    std::vector<Property> own{fails_at("softmax_rows", 3), fails_at("attention_weights", 7)};
    settle_places(own, own_source);
    EXPECT_FALSE(own[1].depends_on);
    std::vector<Property> alone{fails_at("attention_weights", 3), fails_at("softmax_rows", 4)};
    settle_places(alone, own_source);
    EXPECT_FALSE(alone[0].depends_on) << "softmax_rows was not found wrong there";
    std::vector<Property> unknown{fails_at("softmax_rows", 300), fails_at("attention_weights", -3)};
    settle_places(unknown, {});
    EXPECT_FALSE(unknown[1].depends_on);
}

}  // namespace
}  // namespace headway::cli
