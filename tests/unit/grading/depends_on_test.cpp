// Which tests are not judged, since another function gave them what they fail on.
#include "grading/credit.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace headway::cli {
namespace {

using Property = verdict::Test;
using verdict::TestState;

TEST(DependsOn, WhatEndsOnAWrongObjectDependsOnWhatMadeIt) {
    verdict::Exercise exercise;
    const auto ends = [&](const std::string& function, const std::vector<std::string>& story) {
        Property& test = exercise.tests.emplace_back();
        test.state = TestState::failed;
        test.failure.emplace();
        test.failure->kind = verdict::FailureKind::sanitizer;
        test.failure->function = function;
        test.failure->story = story;
        test.failure->at = verdict::SourceLine{"kv_cache.cpp", 40, ""};
    };
    ends("decode", {"make_cache(B = 5)", "decode(cache)"});
    ends("decode", {"Cache(k (7, 6))", "decode(cache)"});
    ends("append", {"Cache(k (7, 6))", "append(cache)"});
    verdict::Diagnosis& diagnosis = exercise.diagnosis.emplace();
    diagnosis.mistakes.emplace_back().functions = {"make_cache"};
    diagnosis.complete = true;
    const auto settled = [&] {
        verdict::Exercise one = exercise;
        settle_credit(one);
        return one;
    };
    EXPECT_EQ(settled().tests[0].depends_on, "make_cache");
    exercise.tests[0].failure->kind = verdict::FailureKind::exception;
    EXPECT_EQ(settled().tests[0].depends_on, "make_cache") << "it refused what does not fit";
    EXPECT_EQ(settled().tests[1].depends_on, "make_cache") << "at the same line: its cache may be one of these";
    EXPECT_FALSE(settled().tests[2].depends_on) << "another function";
    exercise.diagnosis->functions.emplace_back().function = "decode";
    EXPECT_FALSE(settled().tests[0].depends_on) << "it is wrong itself";
    exercise.diagnosis->functions.clear();
    exercise.diagnosis->complete = false;
    EXPECT_FALSE(settled().tests[0].depends_on) << "nobody knows";
    exercise.diagnosis->complete = true;
    exercise.diagnosis->mistakes.clear();
    EXPECT_FALSE(settled().tests[0].depends_on) << "make_cache is right";
}

TEST(DependsOn, WhatThrowsWhereAnEarlierFunctionThrowsDependsOnIt) {
    verdict::Exercise exercise;
    verdict::Diagnosis& diagnosis = exercise.diagnosis.emplace();
    const auto throws = [&](const std::string& function, verdict::FunctionState state, int line) {
        diagnosis.functions.emplace_back().function = function;
        diagnosis.functions.back().state = state;
        Property& test = exercise.tests.emplace_back();
        test.state = TestState::failed;
        test.failure.emplace().kind = verdict::FailureKind::exception;
        test.failure->function = function;
        test.failure->at = verdict::SourceLine{"block.cpp", line, ""};
    };
    throws("mlp_backward", verdict::FunctionState::unrecognised, 95);
    throws("block_backward", verdict::FunctionState::unjudged, 95);
    throws("stack_backward", verdict::FunctionState::unjudged, 120);
    const auto settled = [&] {
        verdict::Exercise one = exercise;
        settle_credit(one);
        return one;
    };
    EXPECT_FALSE(settled().tests[0].depends_on);
    EXPECT_EQ(settled().tests[1].depends_on, "mlp_backward");
    EXPECT_FALSE(settled().tests[2].depends_on) << "at another line";
    exercise.tests[0].failure->kind = verdict::FailureKind::crash;
    EXPECT_FALSE(settled().tests[1].depends_on) << "it fails in another way";
    exercise.tests[0].failure->kind = verdict::FailureKind::exception;
    diagnosis.functions[1].state = verdict::FunctionState::unrecognised;
    EXPECT_FALSE(settled().tests[1].depends_on) << "it is wrong itself";
    diagnosis.functions[1].state = verdict::FunctionState::unjudged;
    std::swap(diagnosis.functions[0], diagnosis.functions[1]);
    EXPECT_FALSE(settled().tests[1].depends_on) << "it stands before the other";
}

TEST(Credit, WhatIsWrongForViewsIsExceptedFromWhatIsSaidOfStrides) {
    verdict::Exercise exercise;
    Property& aside = exercise.tests.emplace_back();
    aside.state = TestState::passed;
    aside.property = "shapes that do not fit are refused, strides change no answer";
    verdict::FunctionDiagnosis& function = exercise.diagnosis.emplace().functions.emplace_back();
    function.function = "attention_scores";
    function.state = verdict::FunctionState::unrecognised;
    const auto given = [&] {
        verdict::Exercise one = exercise;
        settle_credit(one);
        return one.tests.front().given.value_or("");
    };
    EXPECT_EQ(given(), "");
    function.sentences = {"wrong in all 9 questions where q is not contiguous, right in all 4 others"};
    EXPECT_EQ(given(), "attention_scores");
    function.state = verdict::FunctionState::named;
    function.sentences = {"it throws where q is not contiguous: in all 9 such calls, and in none of the 4 others"};
    EXPECT_EQ(given(), "attention_scores") << "a throw is no answer either";
    function.sentences.clear();
    EXPECT_EQ(given(), "");
    verdict::NamedMistake& named = exercise.diagnosis->mistakes.emplace_back();
    named.functions = {"attention_scores"};
    named.title = "tensors are read as if the numbers of their last axis were side by side, such as through data()";
    EXPECT_EQ(given(), "attention_scores");
    exercise.diagnosis->mistakes.clear();
    Property& failed = exercise.tests.emplace_back();
    failed.state = TestState::failed;
    failed.failure.emplace().function = "attention_scores";
    failed.failure->message = "your attention_scores threw: view: (2, 3): the tensor is not contiguous";
    EXPECT_EQ(given(), "attention_scores");
    exercise.tests.front().property = "shapes that do not fit are refused";
    EXPECT_EQ(given(), "");
}

}  // namespace
}  // namespace headway::cli
