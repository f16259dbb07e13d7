// A verdict for GitHub Actions, GitHub Classroom and GitLab: what is wrong, beside which line, and points.
#include "report/classroom_points.hpp"
#include "report/findings.hpp"
#include "report/github.hpp"
#include "report/gitlab.hpp"

#include <gmock/gmock.h>

#include <set>

namespace headway::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using verdict::Failure;
using Property = verdict::Test;
using verdict::SourceLine;

Property failed(const std::string& property, const std::string& function, const std::string& message = "") {
    Property test;
    test.property = property;
    test.max_points = 4;
    test.state = verdict::TestState::failed;
    test.failure.emplace();
    test.failure->function = function;
    test.failure->message = message;
    return test;
}

verdict::Exercise exercise_with(const std::vector<Property>& tests) {
    verdict::Exercise exercise;
    exercise.number = "03";
    exercise.name = "03_scaled_scores";
    exercise.title = "scaled scores";
    exercise.state = verdict::State::failed;
    exercise.points = 2;
    exercise.tests = tests;
    exercise.places = {{"causal_mask", {"scaled_scores.cpp", 20, ""}}, {"masked_softmax", {"parts/rows.cpp", 7, ""}}};
    return exercise;
}

verdict::Verdict verdict_of(const verdict::Exercise& exercise) {
    verdict::Verdict verdict;
    verdict.exercises = {exercise};
    return verdict;
}

/// "file:line message, file:line message"
std::vector<std::string> places(const verdict::Exercise& exercise) {
    std::vector<std::string> all;
    for (const Finding& finding : findings(verdict_of(exercise)))
        all.push_back(finding.file + ":" + std::to_string(finding.line) + " " + finding.message);
    return all;
}

verdict::Exercise does_not_build(const std::string& file, int line) {
    verdict::Exercise exercise = exercise_with({});
    exercise.build = {verdict::BuildProblem::compile_error, "no", file, line, 2, "", 0, 0};
    return exercise;
}

TEST(Findings, StandWhereTheErrorWasSeen) {
    Property threw = failed("a", "causal_mask", "threw");
    threw.failure->at = SourceLine{"scaled_scores.cpp", 31, "throw 1;"};
    Property overflow = failed("b", "causal_mask", "read past the end");
    overflow.failure->sanitizer = verdict::SanitizerReport{"heap-buffer-overflow", "scaled_scores.cpp", 40, {}};
    EXPECT_THAT(places(exercise_with({threw, overflow})),
                testing::ElementsAre("scaled_scores.cpp:31 a: threw", "scaled_scores.cpp:40 b: read past the end"));
}

TEST(Findings, ElseStandAtTheFunctionOncePerLine) {
    const auto exercise = exercise_with({failed("a", "causal_mask"), failed("b", "masked_softmax (long rows)"),
                                         failed("c", "causal_mask", "off by one"), failed("d", "attention_scores")});
    EXPECT_THAT(places(exercise), testing::ElementsAre("scaled_scores.cpp:20 a\nc: off by one", "parts/rows.cpp:7 b",
                                                       "scaled_scores.cpp:1 d"));
}

TEST(Findings, BeginWithMistakesThatHaveAName) {
    auto exercise = exercise_with({failed("a", "masked_softmax"), failed("b", "causal_mask")});
    exercise.diagnosis.emplace();
    verdict::NamedMistake mistake;
    mistake.title = "the mask is transposed";
    mistake.right = "s > t is blocked";
    mistake.lesson = "lessons/03";
    mistake.functions = {"causal_mask"};
    exercise.diagnosis->mistakes = {mistake};
    verdict::Verdict verdict = verdict_of(exercise_with({failed("z", "causal_mask")}));
    verdict.exercises.front().name = "02_head_splitting";
    verdict.exercises.push_back(exercise);
    const std::vector<Finding> found = findings(verdict);
    ASSERT_EQ(found.size(), 3);
    EXPECT_EQ(found[0].exercise, "03_scaled_scores");
    EXPECT_EQ(found[0].line, 20);
    EXPECT_EQ(found[0].message, "the mask is transposed: s > t is blocked (lessons/03)\nb");
}

TEST(Findings, EveryErrorOfTheCompilerHasItsLine) {
    verdict::Exercise exercise = does_not_build("more.cpp", 14);
    verdict::CompilerMessage first;
    first.at = {"more.cpp", 14, ""};
    verdict::CompilerMessage second;
    second.text = "'x' was not declared";
    second.advice = "Declare it";
    second.at = {"more.cpp", 17, ""};
    exercise.build.errors = {first, second};
    EXPECT_THAT(places(exercise),
                testing::ElementsAre("more.cpp:14 no", "more.cpp:17 'x' was not declared. Declare it"));
}

/// A #line directive can name any file, and any line.
TEST(Findings, StandInTheirExercise) {
    for (const char* file : {"../02_head_splitting/head_splitting.cpp", "/etc/passwd", "a/../../b.cpp", ""}) {
        EXPECT_THAT(places(does_not_build(file, 14)), testing::ElementsAre("scaled_scores.cpp:1 no")) << file;
        Property test = failed("a", "unknown");
        test.failure->at = SourceLine{file, 3, ""};
        EXPECT_THAT(places(exercise_with({test})), testing::ElementsAre("scaled_scores.cpp:1 a")) << file;
    }
    EXPECT_THAT(places(does_not_build("more.cpp", -5)), testing::ElementsAre("more.cpp:1 no"));
}

TEST(Findings, NothingOfWhatDependsOnSomethingElse) {
    Property test = failed("a", "causal_mask");
    test.depends_on = "masked_softmax";
    EXPECT_THAT(places(exercise_with({test})), testing::IsEmpty());
}

std::string annotations(const std::string& property, const std::string& message) {
    return github_annotations(findings(verdict_of(exercise_with({failed(property, "causal_mask", message)}))));
}

TEST(Github, AnnotationsDriveNoTerminal) {
    EXPECT_THAT(annotations("another", "\x1b[2J\u009b1m\u202e"), HasSubstr("another: \\x1b[2J\\x9b1m\\u202e"));
    verdict::Exercise exercise = does_not_build("a.cpp", 1);
    exercise.build.message = "\x1b[2J";
    EXPECT_THAT(github_summary(verdict_of(exercise)), Not(HasSubstr("\x1b")));
}

TEST(Github, BetweenTheTokensNothingIsACommand) {
    EXPECT_EQ(github_without_commands("    x\n    ::error::forged\n", "0123"),
              "::stop-commands::0123\n    x\n    ::error::forged\n\n::0123::\n");
}

TEST(Github, NothingThatASubmissionSaysBecomesACommand) {
    EXPECT_EQ(
        annotations("another", "100 % wrong\n::error::forged"),
        "::error file=scaled_scores.cpp,line=20,title=03 scaled scores::another: 100 %25 wrong%0A::error::forged\n");
    EXPECT_EQ(github_annotations({{"03", "a,line=1::b\nc", 2, "d", "e"}}),
              "::error file=a%2Cline=1%3A%3Ab%0Ac,line=2,title=d::e\n");
}

TEST(Github, TheSummaryCountsAllPoints) {
    EXPECT_THAT(github_summary(verdict_of(exercise_with({}))),
                testing::AllOf(HasSubstr("| 03 scaled scores | failed | 2"), HasSubstr("| **all** | | **2 of 10** |")));
}

TEST(Gitlab, AFindingIsAsItsSpecificationSays) {
    const nlohmann::json report = gitlab_code_quality(
        {{"03", "a.cpp", 14, "03 x", "\xff wrong\x1b"}, {"03", "a.cpp", 15, "03 x", "\xff wrong\x1b"}});
    ASSERT_EQ(report.size(), 2);
    std::set<std::string> fingerprints;
    for (const auto& finding : report) {
        EXPECT_EQ(finding.at("description"), "03 x: \uFFFD wrong\\x1b");
        EXPECT_TRUE(finding.at("check_name").is_string());
        EXPECT_EQ(finding.at("severity"), "major");
        EXPECT_EQ(finding.at("location").at("path"), "a.cpp");
        fingerprints.insert(finding.at("fingerprint"));
    }
    EXPECT_EQ(report[0].at("location").at("lines").at("begin"), 14);
    EXPECT_EQ(fingerprints.size(), 2) << "GitLab shows one of those that have the same";
    EXPECT_EQ(gitlab_code_quality({}).dump(), "[]");
}

/// As autograding-grading-reporter reads it: Points are the sum of the tests' scores of max_score.
TEST(ClassroomPoints, AreTheVerdicts) {
    const nlohmann::json points = classroom_points(verdict_of(exercise_with({failed("a", "f", "::error::forged")})));
    EXPECT_EQ(points.at("version"), 1);
    EXPECT_EQ(points.at("status"), "fail");
    EXPECT_EQ(points.at("max_score"), 10);
    EXPECT_EQ(points.at("tests").at(0).at("score"), 2);
    EXPECT_EQ(points.at("tests").at(0).at("name"), "03 scaled scores");
    EXPECT_THAT(points.dump(), Not(HasSubstr("forged"))) << "the reporter prints it, where a line may be a command";
}

TEST(ClassroomPoints, TheMachinesFailureIsNoZero) {
    verdict::Exercise exercise = exercise_with({});
    exercise.state = verdict::State::unavailable;
    const nlohmann::json points = classroom_points(verdict_of(exercise));
    EXPECT_EQ(points.at("status"), "error");
    EXPECT_EQ(points.at("max_score"), 0) << "without one, no points are reported";
}

}  // namespace
}  // namespace headway::report
