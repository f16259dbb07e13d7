#include "verify/alike.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace headway::cli {
namespace {

verdict::Exercise failing(const std::string& property, const std::string& message) {
    verdict::Test test;
    test.name = property;
    test.state = verdict::TestState::failed;
    test.failure.emplace();
    test.failure->kind = verdict::FailureKind::exception;
    test.failure->message = message;
    verdict::Exercise exercise;
    exercise.tests = {test};
    return exercise;
}

Shown answering(const std::string& words, const std::vector<double>& numbers) {
    return shown_by(failing("Shape", ""), {{.words = words, .numbers = numbers}});
}

TEST(Alike, RoundingTellsNobodyApart) {
    EXPECT_TRUE(alike(answering("value (2)", {1, 300}), answering("value (2)", {1.000001, 300.001})));
    EXPECT_TRUE(alike(answering("value (1)", {NAN}), answering("value (1)", {NAN})));
}

TEST(Alike, AnswersDo) {
    EXPECT_FALSE(alike(answering("value (2)", {1, 300}), answering("value (2)", {1.01, 300})));
    EXPECT_FALSE(alike(answering("value (1)", {NAN}), answering("value (1)", {0})));
    EXPECT_FALSE(alike(answering("value (2)", {1, 300}), answering("value (2, 1)", {1, 300})));
    EXPECT_FALSE(alike(answering("value (2)", {1, 300}), shown_by(failing("Shape", ""), {})));
}

TEST(Alike, WhatFailsDoes) {
    EXPECT_FALSE(alike(shown_by(failing("Shape", ""), {}), shown_by(failing("Values", ""), {})));
    verdict::Exercise named = failing("Shape", "");
    named.diagnosis.emplace().functions.emplace_back().mistakes = {"heads_tiled"};
    EXPECT_FALSE(alike(shown_by(failing("Shape", ""), {}), shown_by(named, {})));
}

TEST(Alike, BeforeAQuestionOnlyWhatFailsTellsApart) {
    EXPECT_TRUE(alike(shown_unasked(failing("Shape", "one")), shown_unasked(failing("Shape", "other"))));
    EXPECT_FALSE(alike(shown_unasked(failing("Shape", "one")), shown_unasked(failing("Values", "one"))));
}

/// What an exception says is no answer, and a program may say it in any words.
TEST(Alike, WordsCountOnlyWhereNothingIsAsked) {
    const Answered answered{.words = "value", .numbers = {}};
    EXPECT_TRUE(alike(shown_by(failing("Shape", "one"), {answered}), shown_by(failing("Shape", "other"), {answered})));
    EXPECT_FALSE(alike(shown_by(failing("Shape", "one"), {}), shown_by(failing("Shape", "other"), {})));
}

}  // namespace
}  // namespace headway::cli
