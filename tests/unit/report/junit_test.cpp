#include "report/junit.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <utility>

#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A file that is gone when it is no longer needed.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& content) : path_(testing::TempDir() + "headway_junit_XXXXXX") {
        close(mkstemp(path_.data()));
        std::ofstream(path_) << content;
    }
    TemporaryFile(TemporaryFile&& other) noexcept : path_(std::exchange(other.path_, "")) {}
    TemporaryFile& operator=(TemporaryFile&&) = delete;
    ~TemporaryFile() {
        if (!path_.empty()) std::remove(path_.c_str());
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// The documents as Python's XML parser sees them, checked against the common schema.
std::vector<json> parsed(const std::vector<std::string>& documents) {
    std::vector<TemporaryFile> files;
    std::string command = std::string(PYTHON) + " " + JUNIT_CHECKER;
    for (const std::string& document : documents) command += " '" + files.emplace_back(document).path() + "'";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"), pclose);
    std::string output;
    char buffer[4096];
    while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe.get())) output.append(buffer, count);
    const json trees = json::parse(output, nullptr, false);
    EXPECT_TRUE(trees.is_array() && trees.size() == documents.size()) << output;
    return trees.is_array() ? trees.get<std::vector<json>>() : std::vector<json>(documents.size());
}

json suite(const verdict::Exercise& exercise) {
    return parsed({junit(samples::verdict_of({exercise}))}).at(0)["children"][0];
}

/// The test case `name` of a suite; what Python calls children[0] is its properties.
json test_case(const json& suite, const std::string& name) {
    for (const json& child : suite["children"]) {
        if (child["tag"] == "testcase" && child["attributes"]["name"] == name) return child;
    }
    ADD_FAILURE() << "no test case " << name;
    return {};
}

TEST(JUnit, IsValidForEveryKindOfVerdict) {
    std::vector<std::string> documents = {junit(samples::verdict_of({}))};
    for (const auto& [name, verdict] : samples::all()) documents.push_back(junit(verdict));
    for (const verdict::Verdict& verdict : samples::nasty()) documents.push_back(junit(verdict));
    parsed(documents);
}

TEST(JUnit, ASuiteIsAnExercise) {
    const json passed = suite(samples::all_right());
    EXPECT_EQ(passed["attributes"], json({{"name", "01_single_head"},
                                          {"tests", "3"},
                                          {"failures", "0"},
                                          {"errors", "0"},
                                          {"skipped", "0"},
                                          {"time", "0.800"},
                                          {"timestamp", "2024-05-01T12:00:00"}}));
    EXPECT_EQ(passed["children"][0]["children"][2]["attributes"], json({{"name", "points"}, {"value", "10"}}));
    EXPECT_EQ(test_case(passed, "RowsSumToOne")["children"], json::array());
    EXPECT_EQ(test_case(passed, "RowsSumToOne")["attributes"]["classname"], "01_single_head");
}

TEST(JUnit, AFailureIsToldInFull) {
    const json failure = test_case(suite(samples::wrong()), "ScoresAreDividedBySqrtHeadDim")["children"][0];
    EXPECT_EQ(failure["tag"], "failure");
    EXPECT_EQ(failure["attributes"]["type"], "wrong_value");
    EXPECT_EQ(failure["attributes"]["message"], "The scores are not q·kᵀ / √head_dim.");
    EXPECT_THAT(failure["text"].get<std::string>(), HasSubstr("yours 0.2874, expected 0.3121 (tolerance 2e-6)"));
}

TEST(JUnit, WhatWaitsForAStubIsSkipped) {
    const json waiting = suite(samples::untouched());
    EXPECT_EQ(waiting["attributes"]["skipped"], "2");
    EXPECT_EQ(waiting["attributes"]["failures"], "0");
    EXPECT_EQ(test_case(waiting, "BiasIsOptional")["children"][0]["attributes"]["message"],
              "not written yet: project_output");
}

TEST(JUnit, WhatDoesNotBuildFails) {
    const json failure = test_case(suite(samples::does_not_compile()), "Builds")["children"][0];
    EXPECT_EQ(failure["tag"], "failure");
    EXPECT_EQ(failure["attributes"]["type"], "compile_error");
    EXPECT_EQ(failure["text"], samples::does_not_compile().build.diagnostics);
}

TEST(JUnit, AnErrorIsNeverTheStudents) {
    const json error = test_case(suite(samples::unavailable()), "CanBeGraded")["children"][0];
    EXPECT_EQ(error["tag"], "error");
    EXPECT_THAT(error["attributes"]["message"].get<std::string>(), HasSubstr("The disk is full."));
}

TEST(JUnit, TextIsEscapedAndCleaned) {
    verdict::Test test = samples::failed("A", "a", 1, samples::crashes());
    test.failure->message = "a < b && \"c\" > 'd'\n\tnext \x1b[31m ]]> \xff";
    test.output = "<system-out>\r\n\x01 漢字 \u009b \u202e \uFFFE";
    const json found =
        test_case(suite(samples::exercise("02", "<title> & \"more\"", verdict::State::failed, {test})), "A");
    EXPECT_EQ(found["children"][0]["attributes"]["message"], "a < b && \"c\" > 'd'\n\tnext \\x1b[31m ]]> \uFFFD");
    EXPECT_EQ(found["children"][1]["text"], "<system-out>\n\\x01 漢字 \\x9b \\u202e \\ufffe");
}

}  // namespace
}  // namespace headway::report
