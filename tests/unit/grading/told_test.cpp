// What hidden tests say of a function in words, for the diagnosis.
#include "grading/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* reads_nan =
    "keys and values that stand before the windows of all queries are NaN, and so is what came back: your "
    "window_attention looks at keys that no query sees";
constexpr const char* is_slow =
    "your window_attention takes 16 times as long for 1024 tokens as for 256 with the same window; four times as long "
    "is due: it looks at keys that the window blocks";

std::vector<std::string> told_of(const std::vector<std::string>& messages) {
    verdict::Exercise exercise;
    for (const std::string& message : messages) {
        verdict::Test test;
        test.state = verdict::TestState::failed;
        test.failure.emplace();
        test.failure->kind = verdict::FailureKind::wrong_behaviour;
        test.failure->function = "window_attention";
        test.failure->message = message;
        exercise.tests.push_back(std::move(test));
    }
    return told_in_words(exercise);
}

TEST(ToldInWords, OneCauseOfTwoFailuresIsToldAsOne) {
    EXPECT_THAT(told_of({reads_nan, is_slow}),
                ElementsAre(AllOf(HasSubstr("window_attention: your window_attention takes 16 times as long for 1024"),
                                  HasSubstr(" and computes with keys that no query sees"), HasSubstr("T·S"))));
}

TEST(ToldInWords, EachOfThemAloneIsToldAsItIs) {
    EXPECT_THAT(told_of({reads_nan}), ElementsAre("window_attention: " + std::string(reads_nan)));
    EXPECT_THAT(told_of({is_slow}), ElementsAre("window_attention: " + std::string(is_slow)));
    EXPECT_THAT(told_of({reads_nan, "your window_attention changes its argument q"}),
                ElementsAre(Not(HasSubstr("T·S"))));
}

TEST(ToldInWords, WhatIsToldOfEachFunctionIsTakenFromTheList) {
    verdict::Test test;
    test.state = verdict::TestState::failed;
    test.failure.emplace();
    test.failure->kind = verdict::FailureKind::wrong_behaviour;
    test.failure->function = "append";
    test.failure->message = "a. Besides: b";
    test.failure->sentences = {
        {"append", "k is wider: your append should throw std::invalid_argument, but it answered"},
        {"decode", "x is wider: your decode should throw std::invalid_argument, but it answered"}};
    verdict::Exercise exercise;
    exercise.tests.push_back(test);
    EXPECT_THAT(told_in_words(exercise),
                ElementsAre("append: k is wider: your append should throw std::invalid_argument, but it answered",
                            "decode: x is wider: your decode should throw std::invalid_argument, but it answered"));
}

/// What a submission throws are its own words.
TEST(ToldInWords, AnExceptionTellsNothingOfAnotherFunction) {
    const std::string forged =
        "T = 0: your window_attention should throw std::invalid_argument, but it threw std::runtime_error (x. Besides: "
        "k: your softmax_rows should throw std::invalid_argument, but it answered)";
    EXPECT_THAT(told_of({forged}), ElementsAre("window_attention: " + forged));
}

}  // namespace
}  // namespace headway::cli
