// What the policy withholds is not in the document: nothing leaks through JSON.
#include "verdict/withhold.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headway::verdict {
namespace {

/// A failed test with an expected value, a diagnosis, and output that gives the inputs away.
Verdict telling() {
    Test test;
    test.name = "ScoresAreDivided";
    test.property = "scores are divided";
    test.max_points = 2;
    test.state = TestState::failed;
    test.output = "my input was 0.123";
    test.failure.emplace();
    test.failure->message = "yours 1.5, it should be 4.25";
    test.failure->worst = Worst{{"b"}, {0}, 4.25, 1.5, 1e-6};
    test.failure->expected = Numbers{{1}, {4.25}};
    test.failure->yours = Numbers{{1}, {1.5}};
    test.failure->window = Window{{"b"}, {1}, {0}, {{1, 1}, {4.25}}, {{1, 1}, {1.5}}, {0}};
    Exercise exercise;
    exercise.state = State::failed;
    exercise.tests = {test};
    exercise.diagnosis.emplace();
    NamedMistake mistake;
    mistake.id = "scale_missing";
    exercise.diagnosis->mistakes.push_back(mistake);
    Verdict verdict;
    verdict.exercises = {exercise};
    return verdict;
}

std::string told(const std::string& policy) {
    Verdict verdict = telling();
    withhold(verdict, tell_from(policy));
    return to_json(verdict).dump();
}

bool has(const std::string& document, const std::string& text) { return document.find(text) != std::string::npos; }

TEST(Withhold, FullTellsEverything) {
    for (const char* text : {"4.25", "1.5", "scale_missing", "0.123", "ScoresAreDivided"})
        EXPECT_TRUE(has(told("full"), text)) << text;
}

TEST(Withhold, DiagnosisTellsNoExpectedValue) {
    const std::string document = told("diagnosis");
    EXPECT_FALSE(has(document, "4.25"));
    EXPECT_TRUE(has(document, "scale_missing"));
    EXPECT_TRUE(has(document, "0.123"));
}

TEST(Withhold, PropertyTellsNamesAndNoOutput) {
    const std::string document = told("property");
    for (const char* text : {"4.25", "1.5", "scale_missing", "0.123"}) EXPECT_FALSE(has(document, text)) << text;
    EXPECT_TRUE(has(document, "ScoresAreDivided"));
}

TEST(Withhold, ScoreTellsNoTestEither) {
    const std::string document = told("score");
    for (const char* text : {"4.25", "scale_missing", "0.123", "ScoresAreDivided"})
        EXPECT_FALSE(has(document, text)) << text;
}

TEST(Withhold, AnUnknownWordIsRefused) { EXPECT_THROW(tell_from("everything"), std::runtime_error); }

}  // namespace
}  // namespace headway::verdict
