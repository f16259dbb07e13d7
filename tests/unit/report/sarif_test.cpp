#include "report/sarif.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json sarif_run(const verdict::Exercise& exercise, const Renamed& renamed = nullptr) {
    return sarif(samples::verdict_of({exercise}), renamed).at("runs").at(0);
}

/// The only exercise is 03, and one property of it failed.
json sarif_result(const verdict::Failure& failure, const Renamed& renamed = nullptr) {
    const verdict::Test test = samples::failed("A", "a property", 1, failure);
    return sarif_run(samples::exercise("03", "scaled scores", verdict::State::failed, {test}), renamed)
        .at("results")
        .at(0);
}

const json& physical_location(const json& result) { return result.at("locations").at(0).at("physicalLocation"); }
std::string uri_of(const json& result) { return physical_location(result).at("artifactLocation").at("uri"); }

TEST(Sarif, HasAResultForEachPropertyThatFailed) {
    const json run = sarif_run(samples::wrong());
    std::vector<std::string> rules;
    for (const json& result : run.at("results")) {
        EXPECT_EQ(result.at("level"), "error");
        rules.push_back(result.at("ruleId").get<std::string>());
    }
    EXPECT_THAT(rules, testing::ElementsAre("03_scaled_scores.ScoresAreDividedBySqrtHeadDim",
                                            "03_scaled_scores.LastQuerySeesAll", "03_scaled_scores.MaskedRowsAreZero",
                                            "03_scaled_scores.ScaleForWideHeads"));
    EXPECT_EQ(run.at("results").at(1).at("message").at("text"),
              "the causal mask lets the last query see every key: The last query must see every key.");
    EXPECT_EQ(run.at("tool").at("driver").at("rules").at(1).at("shortDescription").at("text"),
              "the causal mask lets the last query see every key");
    EXPECT_EQ(run.at("invocations").at(0).at("executionSuccessful"), true);
    EXPECT_TRUE(sarif_run(samples::all_right()).at("results").empty());
}

TEST(Sarif, AResultStandsAtItsLineWhereOneIsKnown) {
    const json sanitized = sarif_result(samples::reads_out_of_bounds());
    EXPECT_EQ(uri_of(sanitized), "03_scaled_scores/head_splitting.cpp");
    EXPECT_EQ(physical_location(sanitized).at("region").at("startLine"), 41);
    verdict::Failure thrown = samples::crashes();
    thrown.at = verdict::SourceLine{"parts/rows.cpp", 7, ""};
    EXPECT_EQ(uri_of(sarif_result(thrown)), "03_scaled_scores/parts/rows.cpp");
    EXPECT_EQ(physical_location(sarif_result(thrown)).at("region").at("startLine"), 7);
    const json nowhere = sarif_result(samples::crashes());
    EXPECT_EQ(uri_of(nowhere), "03_scaled_scores/scaled_scores.cpp");
    EXPECT_FALSE(physical_location(nowhere).contains("region"));
}

TEST(Sarif, ElseItStandsAtTheFunction) {
    verdict::Exercise exercise = samples::wrong();
    exercise.places = {{"attention_scores", {"scaled_scores.cpp", 5, ""}}};
    EXPECT_EQ(physical_location(sarif_run(exercise).at("results").at(0)).at("region").at("startLine"), 5);
}

TEST(Sarif, WhatWasNotJudgedOrWrittenIsNoResult) {
    EXPECT_TRUE(sarif_run(samples::untouched()).at("results").empty());
    verdict::Test test = samples::failed("A", "a property", 1, samples::wrong_mask());
    test.depends_on = "masked_softmax";
    const auto exercise = samples::exercise("03", "scaled scores", verdict::State::failed, {test});
    EXPECT_TRUE(sarif_run(exercise).at("results").empty());
}

TEST(Sarif, WhatDoesNotBuildIsAResult) {
    const json run = sarif_run(samples::does_not_compile());
    ASSERT_EQ(run.at("results").size(), 1U);
    EXPECT_EQ(run.at("results").at(0).at("ruleId"), "05_module.Builds");
    EXPECT_EQ(uri_of(run.at("results").at(0)), "05_module/module.cpp");
    EXPECT_EQ(physical_location(run.at("results").at(0)).at("region").at("startLine"), 14);
}

TEST(Sarif, TheMachinesFailureIsNoResult) {
    const json run = sarif_run(samples::unavailable());
    EXPECT_TRUE(run.at("results").empty());
    const json& invocation = run.at("invocations").at(0);
    EXPECT_EQ(invocation.at("executionSuccessful"), false);
    const std::string text = invocation.at("toolExecutionNotifications").at(0).at("message").at("text");
    EXPECT_THAT(text, HasSubstr("02 could not be graded: The disk is full."));
}

TEST(Sarif, FilesAreCalledAsTheReaderKnowsThem) {
    const Renamed archived = [](const Location& graded) {
        EXPECT_EQ(graded.file, "03_scaled_scores/head_splitting.cpp");
        EXPECT_EQ(graded.line, 41);
        return Location{"hand in/a:b%.zip"};
    };
    const json result = sarif_result(samples::reads_out_of_bounds(), archived);
    EXPECT_EQ(uri_of(result), "hand%20in/a%3Ab%25.zip");
    EXPECT_FALSE(physical_location(result).contains("region"));
}

TEST(Sarif, NothingThatASubmissionSaysBecomesALinkOrAPlaceholder) {
    verdict::Failure failure = samples::crashes();
    failure.message = "[see](http://forged) {0} \xff\x1b[2J";
    EXPECT_EQ(sarif_result(failure).at("message").at("text"), "a property: [see] (http://forged) {{0}} \uFFFD\\x1b[2J");
}

/// Properties with the same name, as exercises never have them, are one rule.
TEST(Sarif, IsAsItsSpecificationSaysForEveryKindOfVerdict) {
    std::vector<verdict::Verdict> verdicts = samples::nasty();
    for (auto& [name, verdict] : samples::all()) verdicts.push_back(std::move(verdict));
    for (const verdict::Verdict& verdict : verdicts) {
        const json document = json::parse(sarif(verdict).dump());
        EXPECT_EQ(document.at("version"), "2.1.0");
        const json& run = document.at("runs").at(0);
        EXPECT_TRUE(run.at("tool").at("driver").at("name").is_string());
        std::map<std::string, int> rules;
        for (const json& rule : run.at("tool").at("driver").at("rules")) ++rules[rule.at("id").get<std::string>()];
        for (const json& result : run.at("results")) {
            EXPECT_EQ(rules[result.at("ruleId").get<std::string>()], 1) << result.at("ruleId");
            EXPECT_TRUE(result.at("message").at("text").is_string());
            const std::string uri = uri_of(result);
            EXPECT_TRUE(std::ranges::all_of(uri, [](char c) { return c > ' ' && c < '\x7f'; })) << uri;
            const json& physical = physical_location(result);
            if (physical.contains("region")) {
                EXPECT_GE(physical.at("region").at("startLine"), 1) << uri;
            }
        }
    }
}

}  // namespace
}  // namespace headway::report
