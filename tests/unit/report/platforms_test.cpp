// A verdict for Gradescope and for GitHub Actions.
#include "report/github.hpp"
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

TEST(Github, AnnotationsDriveNoTerminal) {
    verdict::Verdict verdict = failed_verdict();
    verdict.exercises[0].tests[1].failure->message = "\x1b[2J\u009b1m\u202e";
    EXPECT_NE(github_annotations(verdict, "exercises").find("another: \\x1b[2J\\x9b1m\\u202e"), std::string::npos);
    verdict.exercises[0].build = {verdict::BuildProblem::compile_error, "\x1b[2J", "a.cpp", 1, 1, "", 0, 0};
    EXPECT_EQ(github_summary(verdict).find('\x1b'), std::string::npos);
}

TEST(Github, BetweenTheTokensNothingIsACommand) {
    EXPECT_EQ(github_without_commands("    x\n    ::error::forged\n", "0123"),
              "::stop-commands::0123\n    x\n    ::error::forged\n\n::0123::\n");
}

TEST(Github, NothingThatASubmissionSaysBecomesACommand) {
    const std::string text = github_annotations(failed_verdict(), "exercises");
    EXPECT_EQ(text,
              "::error file=exercises/03_scaled_scores/scaled_scores.cpp,line=1,title=03 scaled scores::"
              "another: 100 %25 wrong%0A::error::forged\n");
}

/// A #line directive can name any file.
TEST(Github, AnErrorStandsInItsExercise) {
    for (const char* file : {"../02_head_splitting/head_splitting.cpp", "/etc/passwd", "a/../../b.cpp"}) {
        verdict::Verdict verdict = failed_verdict();
        verdict.exercises[0].tests.clear();
        verdict.exercises[0].build = {verdict::BuildProblem::compile_error, "no", file, 14, 2, "", 0, 0};
        EXPECT_NE(
            github_annotations(verdict, "exercises").find("file=exercises/03_scaled_scores/scaled_scores.cpp,line=1,"),
            std::string::npos)
            << file;
    }
}

TEST(Github, AnErrorStandsAtItsLine) {
    verdict::Verdict verdict = failed_verdict();
    verdict.exercises[0].tests.clear();
    verdict.exercises[0].build = {verdict::BuildProblem::compile_error, "a, b", "more.cpp", 14, 2, "", 0, 0};
    EXPECT_NE(github_annotations(verdict, "exercises").find("file=exercises/03_scaled_scores/more.cpp,line=14,"),
              std::string::npos);
    EXPECT_NE(github_summary(verdict).find("| 03 scaled scores | failed | 2"), std::string::npos)
        << github_summary(verdict);
}

}  // namespace
}  // namespace headway::report
