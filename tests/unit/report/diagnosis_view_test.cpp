#include "report/terminal.hpp"

#include <gmock/gmock.h>

#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using namespace samples;
using testing::HasSubstr;
using testing::Not;
using verdict::State;

std::string shown(const verdict::Exercise& exercise) { return render(verdict_of({exercise}), {}); }

verdict::Exercise unnamed(const verdict::FailureKind kind, const std::string& message) {
    verdict::Failure failure;
    failure.kind = kind;
    failure.function = "split_heads";
    failure.message = message;
    failure.story = {"split_heads(x (2, 3, 8), num_heads=2)", "split_heads(x (2, 3, 8), num_heads=4)"};
    verdict::Exercise found = exercise("02", "head splitting", State::failed, {failed("A", "a property", 2, failure)});
    verdict::FunctionDiagnosis function;
    function.function = "split_heads";
    function.stage = "split";
    function.sentences = {"2 of 7 questions are answered right"};
    found.diagnosis.emplace().functions = {function};
    return found;
}

TEST(DiagnosisView, WhatIsRefusedLoudlyIsToldFirst) {
    const std::string text = shown(
        unnamed(verdict::FailureKind::exception, "your split_heads threw std::invalid_argument: view: not contiguous"));
    EXPECT_THAT(text, HasSubstr("  ▸ split_heads threw where it should answer: view: not contiguous\n"
                                "    (std::invalid_argument)\n"
                                "      asked: split_heads(x (2, 3, 8), num_heads=4)\n"));
    EXPECT_THAT(text, HasSubstr("as above: your split_heads threw"));
    EXPECT_THAT(text, Not(HasSubstr("no name for")));
    EXPECT_THAT(text, Not(HasSubstr("questions are answered right"))) << "of the answers that came";
    EXPECT_THAT(shown(unnamed(verdict::FailureKind::crash, "your split_heads crashed: SIGSEGV")),
                HasSubstr("▸ split_heads crashed: SIGSEGV\n"));
}

TEST(DiagnosisView, WrongNumbersAreToldAsSuchBesideWhatIsLoud) {
    verdict::Exercise both = unnamed(verdict::FailureKind::crash, "your split_heads crashed: SIGSEGV");
    verdict::Test quiet = both.tests.front();
    quiet.failure->kind = verdict::FailureKind::wrong_value;
    both.tests.push_back(quiet);
    EXPECT_THAT(shown(both), HasSubstr("▸ split_heads crashed: SIGSEGV\n"));
    EXPECT_THAT(shown(both), HasSubstr("2 of 7 questions are answered right"));
}

}  // namespace
}  // namespace headway::report
