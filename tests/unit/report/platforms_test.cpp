// A verdict for Gradescope.
#include "report/gradescope.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headway::report {
namespace {

verdict::Verdict failed_verdict() {
    verdict::Exercise exercise;
    exercise.number = "03";
    exercise.name = "03_scaled_scores";
    exercise.title = "scaled scores";
    exercise.state = verdict::State::failed;
    exercise.points = 2;
    verdict::Test right{"A", "a | property", 2, 2, verdict::TestState::passed, verdict::FailedIn::neither, {},
                        "",  false,          0};
    verdict::Test wrong{"B", "another", 0, 8, verdict::TestState::failed, verdict::FailedIn::both, verdict::Failure{},
                        "",  false,     0};
    wrong.failure->message = "100 % wrong\n::error::forged";
    exercise.tests = {right, wrong};
    verdict::Verdict verdict;
    verdict.digest = "d";
    verdict.exercises = {exercise};
    return verdict;
}

/// Types and ranges as gradescope-autograders.readthedocs.io/en/latest/specs says.
TEST(Gradescope, ResultsAreAsItsSpecificationSays) {
    const nlohmann::json document = gradescope(failed_verdict());
    EXPECT_TRUE(document.at("score").is_number());
    EXPECT_TRUE(document.at("execution_time").is_number());
    EXPECT_TRUE(document.at("output").is_string());
    EXPECT_TRUE(document.at("extra_data").is_object());
    const std::set<std::string> visibilities = {"hidden", "after_due_date", "after_published", "visible"};
    EXPECT_TRUE(visibilities.contains(document.at("visibility")));
    EXPECT_TRUE(visibilities.contains(document.at("stdout_visibility")));
    double sum = 0;
    for (const auto& test : document.at("tests")) {
        sum += test.at("score").get<double>();
        EXPECT_LE(test.at("score").get<double>(), test.at("max_score").get<double>());
        EXPECT_TRUE(test.at("status") == "passed" || test.at("status") == "failed");
        EXPECT_EQ(test.at("output_format"), "text");
        EXPECT_TRUE(test.at("name").is_string() && test.at("output").is_string());
        EXPECT_TRUE(visibilities.contains(test.at("visibility")));
    }
    EXPECT_EQ(sum, document.at("score").get<double>());
    EXPECT_EQ(document.dump().find("seed"), std::string::npos);
}

TEST(Gradescope, AnExerciseCountsAsTheClassSays) {
    const nlohmann::json document = gradescope(failed_verdict(), {.points = {{"03_scaled_scores", 25}}});
    EXPECT_EQ(document.at("score"), 5);
    EXPECT_EQ(document.at("tests").at(0).at("max_score"), 5);
    EXPECT_EQ(document.at("tests").at(1).at("max_score"), 20);
    const nlohmann::json third = gradescope(failed_verdict(), {.points = {{"03_scaled_scores", 10.0 / 3}}});
    EXPECT_EQ(third.at("score"), 0.67);
    const nlohmann::json none = gradescope(failed_verdict(), {.points = {{"03_scaled_scores", 0}}});
    EXPECT_EQ(none.at("score"), 0);
    EXPECT_TRUE(none.at("tests").empty()) << "an exercise that counts nothing is not part of the class";
}

TEST(Gradescope, TestsAreShownWhenTheInstructorSaysSo) {
    const nlohmann::json document = gradescope(failed_verdict(), {.visibility = "after_due_date"});
    EXPECT_EQ(document.at("visibility"), "after_due_date");
    for (const auto& test : document.at("tests")) EXPECT_EQ(test.at("visibility"), "after_due_date");
    EXPECT_EQ(document.at("stdout_visibility"), "hidden");
}

TEST(Gradescope, TheMachinesFailureIsNoScore) {
    verdict::Verdict verdict = failed_verdict();
    verdict.exercises[0].state = verdict::State::unavailable;
    EXPECT_THROW(gradescope(verdict), std::runtime_error);
}

TEST(Gradescope, WordsThatAreNoUtf8DoNotSpoilTheDocument) {
    verdict::Verdict verdict = failed_verdict();
    verdict.exercises[0].build = {verdict::BuildProblem::compile_error, "caf\xe9", "a.cpp", 1, 1, "\xff\x1b[2J", 0, 0};
    verdict.exercises[0].tests[1].failure->message = "\xff\u202e";
    const nlohmann::json document = gradescope(verdict);
    EXPECT_NO_THROW(static_cast<void>(document.dump()));
    EXPECT_EQ(document.at("tests").at(0).at("output"), "caf\uFFFD\n\uFFFD\\x1b[2J");
}

}  // namespace
}  // namespace headway::report
