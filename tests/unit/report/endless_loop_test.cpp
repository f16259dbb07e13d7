#include "report/html.hpp"
#include "report/terminal.hpp"

#include <gmock/gmock.h>

#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using namespace samples;
using testing::HasSubstr;
using testing::Not;

/// `append` was stopped in a loop whose step is known to be gone past.
verdict::Exercise stopped(const std::string& mistake_id) {
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::timeout;
    failure.function = "append";
    failure.message = "your append did not come to an end within 3 s of computing";
    failure.at = verdict::SourceLine{"kv_cache.cpp", 34, "while (t < k.size(2)) {"};
    failure.advice = "The continue in line 37 goes past line 41, where t changes: ++t;";
    verdict::Exercise all = exercise("08", "kv cache", verdict::State::failed, {failed("A", "a property", 2, failure)});
    verdict::FunctionDiagnosis& function = all.diagnosis.emplace().functions.emplace_back();
    function.function = "append";
    function.state = verdict::FunctionState::named;
    function.mistakes = {mistake_id};
    verdict::NamedMistake& mistake = all.diagnosis->mistakes.emplace_back();
    mistake.id = mistake_id;
    mistake.title = "a loop never ends";
    mistake.functions = {"append"};
    return all;
}

TEST(EndlessLoop, WhatItGoesPastStandsWithItsName) {
    const verdict::Verdict verdict = verdict_of({stopped("never_ends")});
    EXPECT_THAT(render(verdict, {}),
                HasSubstr("      at kv_cache.cpp:34:   while (t < k.size(2)) {\n"
                          "      The continue in line 37 goes past line 41, where t changes: ++t;\n"
                          "      why it matters:"));
    EXPECT_THAT(html(verdict), HasSubstr("<p>The continue in line 37 goes past line 41, where t changes: ++t;</p>"));
    EXPECT_THAT(render(verdict_of({stopped("waits_without_end")}), {}),
                Not(HasSubstr("where t changes: ++t;\n      why it matters:")));
}

}  // namespace
}  // namespace headway::report
