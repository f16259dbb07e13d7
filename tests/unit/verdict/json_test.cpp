#include "verdict/utf8.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "verdict/sample_verdicts.hpp"

namespace headway::verdict {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// What from_json says of a good document after `change`.
std::string complaint(const std::function<void(json&)>& change) {
    json document = to_json(samples::with_everything());
    change(document);
    try {
        from_json(document);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

TEST(VerdictJson, WritingAndReadingAgainChangesNothing) {
    for (const auto& [name, verdict] : samples::all()) {
        const json document = to_json(verdict);
        EXPECT_EQ(to_json(from_json(document)), document) << name;
        EXPECT_EQ(to_json(from_json(json::parse(document.dump()))), document) << name << ", through text";
    }
}

TEST(VerdictJson, ReadingFillsTheFieldsThatWereWritten) {
    const Verdict before = samples::with_everything();
    const Verdict after = from_json(to_json(before));
    EXPECT_EQ(after.seed, before.seed);
    EXPECT_EQ(after.seconds, before.seconds);
    EXPECT_EQ(after.protections, before.protections);
    ASSERT_EQ(after.exercises.size(), before.exercises.size());
    const Exercise& first = after.exercises.front();
    EXPECT_EQ(first.state, State::failed);
    EXPECT_TRUE(first.reused);
    EXPECT_EQ(first.judge_seconds, 1e-300);
    ASSERT_EQ(first.tests.size(), before.exercises.front().tests.size());
    EXPECT_FALSE(first.tests[0].failure);
    EXPECT_EQ(first.tests[0].output, showable(before.exercises.front().tests[0].output));
    ASSERT_TRUE(first.tests[3].failure && first.tests[3].failure->worst);
    EXPECT_EQ(first.tests[3].failure->worst->coordinate, (std::vector<std::int64_t>{1, 2, 3, 0}));
    EXPECT_FALSE(first.tests[3].failure->sanitizer);
    EXPECT_EQ(first.tests.back().failure->kind, FailureKind::protocol);
    EXPECT_EQ(after.exercises[1].tests[2].failure->sanitizer->line, 41);
    EXPECT_EQ(after.exercises[2].build.problem, BuildProblem::compile_error);
}

TEST(VerdictJson, PartsTravelAlone) {
    const json exercise = to_json(samples::wrong());
    EXPECT_EQ(to_json(exercise_from_json(exercise)), exercise);
    const json test = to_json(samples::wrong().tests[5]);
    EXPECT_EQ(to_json(test_from_json(test)), test);
}

TEST(VerdictJson, NanAndInfinitiesSurviveAsStrings) {
    const json test = to_json(samples::failed("A", "a", 1, samples::gives_nan()));
    EXPECT_EQ(test["failure"]["yours"]["values"], json({0.2, 0.3, 0.5, "nan", "-inf", "inf"}));
    const verdict::Test read = test_from_json(json::parse(test.dump()));
    EXPECT_TRUE(std::isnan(read.failure->worst->yours));
    EXPECT_TRUE(std::isnan(read.failure->yours->values[3]));
    EXPECT_EQ(read.failure->yours->values[4], -INFINITY);
    EXPECT_EQ(read.failure->yours->values[5], INFINITY);
}

TEST(VerdictJson, BytesThatAreNotUtf8DoNotSpoilTheDocument) {
    for (const Verdict& verdict : samples::nasty()) {
        const json document = to_json(verdict);
        EXPECT_EQ(json::parse(document.dump()), document);
    }
    verdict::Test test = samples::passed("A", "a", 1);
    test.output = "caf\xe9!";
    EXPECT_EQ(to_json(test)["output"], "caf\uFFFD!");
}

TEST(VerdictJson, ItsTextsDriveNoTerminal) {
    verdict::Test test = samples::passed("A", "a", 1);
    test.output = "\x1b[2J\u009b1m\u202e";
    EXPECT_EQ(to_json(test)["output"], "\\x1b[2J\\x9b1m\\u202e");
}

TEST(VerdictJson, EnumerationsAreSnakeCase) {
    EXPECT_EQ(to_string(State::not_started), "not_started");
    EXPECT_EQ(to_string(TestState::not_implemented), "not_implemented");
    EXPECT_EQ(to_string(FailureKind::output_flood), "output_flood");
    EXPECT_EQ(to_string(BuildProblem::missing_definition), "missing_definition");
    EXPECT_THROW(to_string(static_cast<State>(99)), std::invalid_argument);
}

TEST(VerdictJson, RefusesAnotherVersion) {
    EXPECT_EQ(complaint([](json& d) { d["schema"] = "headway-verdict/0"; }),
              R"(verdict: schema is "headway-verdict/0"; this program reads "headway-verdict/2")");
    EXPECT_THAT(complaint([](json& d) { d["schema"] = 1; }), HasSubstr("schema is 1"));
    EXPECT_EQ(complaint([](json& d) { d.erase("schema"); }), "verdict: schema is missing");
    EXPECT_EQ(complaint([](json& d) { d = json::array(); }), "verdict: the document must be an object");
}

TEST(VerdictJson, ErrorsNameTheField) {
    const auto test = [](json& d) -> json& { return d["exercises"][0]["tests"][3]; };
    EXPECT_EQ(complaint([&](json& d) { test(d).erase("points"); }), "verdict: exercises[0].tests[3].points is missing");
    EXPECT_EQ(complaint([&](json& d) { test(d)["state"] = "great"; }),
              "verdict: exercises[0].tests[3].state is \"great\"; it must be one of "
              "passed, failed, not_implemented, unavailable");
    EXPECT_EQ(complaint([&](json& d) { test(d)["points"] = -1; }),
              "verdict: exercises[0].tests[3].points must be a whole number, 0 or above");
    EXPECT_EQ(complaint([&](json& d) { test(d)["points"] = 1.5; }),
              "verdict: exercises[0].tests[3].points must be a whole number, 0 or above");
    EXPECT_EQ(complaint([&](json& d) { test(d)["points"] = 5'000'000'000; }),
              "verdict: exercises[0].tests[3].points is too large");
    EXPECT_EQ(complaint([&](json& d) { test(d)["points"] = 4; }),
              "verdict: exercises[0].tests[3] has more points than max_points");
    EXPECT_EQ(complaint([&](json& d) { test(d)["seconds"] = "fast"; }),
              R"(verdict: exercises[0].tests[3].seconds must be a number, "nan", "inf" or "-inf")");
    EXPECT_EQ(complaint([&](json& d) { test(d)["build"] = "fast"; }),
              "verdict: exercises[0].tests[3].build is \"fast\"; it must be one of \"\", plain, sanitized, both");
    EXPECT_EQ(complaint([&](json& d) { test(d)["colour"] = "red"; }),
              "verdict: exercises[0].tests[3].colour is not a field of headway-verdict/2");
    EXPECT_EQ(complaint([&](json& d) { test(d)["failure"] = nullptr; }),
              "verdict: exercises[0].tests[3].failure must be an object");
    EXPECT_EQ(complaint([&](json& d) { test(d)["failure"]["story"] = "once"; }),
              "verdict: exercises[0].tests[3].failure.story must be an array");
    EXPECT_EQ(complaint([&](json& d) { test(d)["failure"]["worst"]["axes"] = {"b"}; }),
              "verdict: exercises[0].tests[3].failure.worst has not as many axes as coordinates");
    EXPECT_EQ(complaint([](json& d) { d["seed"] = "18446744073709551616"; }),
              "verdict: seed must be the digits of a 64-bit number");
    EXPECT_EQ(complaint([](json& d) { d["toolchain"]["compiler"] = 12; }),
              "verdict: toolchain.compiler must be a string");
    EXPECT_EQ(complaint([](json& d) { d["exercises"][0]["reused"] = 1; }),
              "verdict: exercises[0].reused must be true or false");
    EXPECT_EQ(complaint([](json& d) { d["exercises"][1]["points"] = 11; }),
              "verdict: exercises[1] has more points than max_points");
}

TEST(VerdictJson, ValuesMustFillTheirShape) {
    const auto with_shape = [](const json& shape) {
        return complaint([&](json& d) { d["exercises"][0]["tests"][4]["failure"]["yours"]["shape"] = shape; });
    };
    const std::string yours = "verdict: exercises[0].tests[4].failure.yours ";
    EXPECT_EQ(with_shape({2, 4}), "");
    EXPECT_EQ(with_shape({4, 4}), yours + "has 8 values, its shape asks for 16");
    EXPECT_EQ(with_shape({0, 8}), yours + "has 8 values, its shape asks for 0");
    EXPECT_EQ(with_shape({4294967296, 4294967296, 8}), yours + "has a shape that is too large");
}

}  // namespace
}  // namespace headway::verdict
