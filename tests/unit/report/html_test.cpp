// The page: whole, quiet, and safe whatever a submission put into its verdict.
#include "report/html.hpp"

#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "verdict/sample_verdicts.hpp"
#include "verdict/withhold.hpp"

namespace headway::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Names of the elements that are open at the end; "…" where one is closed that is not open.
std::vector<std::string> open_elements(const std::string& page) {
    static const std::regex tag("<(/?)([a-z][a-z0-9]*)((?: [a-z-]+=\"[^\"<>]*\")*)(/?)>");
    std::vector<std::string> open;
    for (std::sregex_iterator found(page.begin(), page.end(), tag), end; found != end; ++found) {
        const std::string name = (*found)[2];
        if ((*found)[1] == "/") {
            if (open.empty() || open.back() != name) return {"… " + name};
            open.pop_back();
        } else if ((*found)[4] != "/") {
            open.push_back(name);
        }
    }
    return open;
}

TEST(Html, EveryElementIsClosed) {
    for (const samples::Named& sample : samples::all())
        EXPECT_THAT(open_elements(html(sample.verdict)), testing::IsEmpty()) << sample.name;
}

TEST(Html, NeedsNoNetworkAndRunsNothing) {
    const std::string page = html(samples::with_everything());
    for (const char* asks : {"<script", "src=", "<link", "@import", "url(", "href=\"http"})
        EXPECT_THAT(page, Not(HasSubstr(asks)));
}

TEST(Html, WhatASubmissionPrintedIsTextAndNothingElse) {
    verdict::Verdict verdict = samples::verdict_of({samples::wrong()});
    verdict.exercises[0].tests[0].output = "</pre><script>alert(1)</script>\x1b[31m\x9b \u009b1m\u202e";
    const std::string page = html(verdict);
    EXPECT_THAT(page, HasSubstr("&lt;/pre&gt;&lt;script&gt;"));
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, HasSubstr("\\x9b1m\\u202e"));
    for (const char* acts : {"\x1b", "\u009b", "\u202e"}) EXPECT_THAT(page, Not(HasSubstr(acts)));
    for (const verdict::Verdict& nasty : samples::nasty()) EXPECT_THAT(open_elements(html(nasty)), testing::IsEmpty());
}

TEST(Html, ShowsWhereItGoesWrongAsHeatmaps) {
    verdict::Exercise exercise = samples::wrong();
    exercise.tests = {samples::failed("Scale", "scores are divided", 2, samples::wrong_scale())};
    const std::string page = html(samples::verdict_of({exercise}));
    for (const char* told : {"yours at [b=1, h=2]", "expected at [b=1, h=2]", "query\\key", "the first that is wrong",
                             "B = 2, H = 3, T = 5, S = 9", "How to go on"})
        EXPECT_THAT(page, HasSubstr(told));
}

TEST(Html, DrawsNoStageOfWhatHasNoName) {
    verdict::Exercise exercise = samples::wrong();
    exercise.tests = {samples::failed("Scale", "scores are divided", 2, samples::wrong_scale())};
    verdict::FunctionDiagnosis unnamed;
    unnamed.function = "attention_weights";
    unnamed.state = verdict::FunctionState::unrecognised;
    unnamed.stage = verdict::Stage::weigh;
    exercise.diagnosis.emplace().functions = {unnamed};
    const std::string page = html(samples::verdict_of({exercise}));
    EXPECT_THAT(page, HasSubstr("attention_weights"));
    EXPECT_THAT(page, Not(HasSubstr("Where it first goes wrong")));
}

TEST(Html, TellsWhichLinesNoTestRan) {
    verdict::Exercise exercise = samples::all_right();
    exercise.coverage = {{"mine.cpp", 7, 8, {{12, "    if (a < b) throw;"}}}};
    const std::string page = html(samples::verdict_of({exercise}));
    EXPECT_THAT(page, HasSubstr("ran 7 of 8 lines of mine.cpp"));
    EXPECT_THAT(page, HasSubstr("  12      if (a &lt; b) throw;"));
}

TEST(Html, ShowsNoExpectedValueThatThePolicyWithholds) {
    verdict::Exercise exercise = samples::wrong();
    exercise.tests = {samples::failed("Scale", "scores are divided", 2, samples::wrong_scale())};
    verdict::Verdict verdict = samples::verdict_of({exercise});
    verdict::withhold(verdict, verdict::Tell::diagnosis);
    EXPECT_THAT(html(verdict), Not(HasSubstr("0.3121")));
    EXPECT_THAT(html(verdict), Not(HasSubstr("<table")));
}

TEST(Html, ACompileErrorIsToldAtItsLine) {
    const std::string page = html(samples::verdict_of({samples::does_not_compile()}));
    EXPECT_THAT(page, HasSubstr("<pre>return matmul(x);\n       ~~~~~~^~~</pre>"));
    EXPECT_THAT(page, HasSubstr("Compare the arguments one by one."));
    EXPECT_THAT(page, HasSubstr("and 1 more error"));
    EXPECT_THAT(page, HasSubstr("all that the compiler said"));
}

TEST(Html, WarningsAreTold) {
    verdict::Exercise warned = samples::all_right();
    EXPECT_THAT(html(samples::verdict_of({warned})), Not(HasSubstr("The compiler warns")));
    warned.build.warnings = samples::does_not_compile().build.errors;
    EXPECT_THAT(html(samples::verdict_of({warned})), HasSubstr("The compiler warns"));
}

TEST(Html, ASanitizersReportIsToldOnce) {
    const verdict::Test crashed = samples::failed("A", "a", 1, samples::reads_out_of_bounds());
    const std::string report = crashed.failure->sanitizer->first_lines.front();
    const std::string page = html(samples::verdict_of(
        {samples::exercise("02", "head splitting", verdict::State::failed, {crashed, crashed, crashed})}));
    EXPECT_EQ(page.find(report), page.rfind(report));
}

}  // namespace
}  // namespace headway::report
