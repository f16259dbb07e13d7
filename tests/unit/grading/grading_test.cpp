#include "grading/grading.hpp"
#include "grading/both_builds.hpp"

#include <gmock/gmock.h>

namespace headway::cli {
namespace {

using verdict::FailureKind;
using verdict::State;
using HiddenTest = verdict::Test;
using verdict::TestState;

HiddenTest with(TestState state, FailureKind kind = FailureKind::wrong_value) {
    HiddenTest test;
    test.name = "T";
    test.max_points = 2;
    test.state = state;
    test.points = state == TestState::passed ? 2 : 0;
    if (state != TestState::passed) {
        test.failure.emplace();
        test.failure->kind = kind;
    }
    return test;
}

TEST(Merge, PassesOnlyIfBothBuildsPass) {
    EXPECT_EQ(merge(with(TestState::passed), with(TestState::passed)).points, 2);
    const HiddenTest sanitized_only = merge(with(TestState::passed), with(TestState::failed, FailureKind::sanitizer));
    EXPECT_EQ(sanitized_only.state, TestState::failed);
    EXPECT_EQ(sanitized_only.points, 0);
    EXPECT_EQ(sanitized_only.build, verdict::FailedIn::sanitized);
    EXPECT_EQ(merge(with(TestState::failed), with(TestState::passed)).build, verdict::FailedIn::plain);
    EXPECT_EQ(merge(with(TestState::failed), with(TestState::failed)).build, verdict::FailedIn::both);
}

TEST(Merge, WhatIsAskedInOneBuildAloneIsNotSaidToFailThereOnly) {
    HiddenTest unasked = with(TestState::passed);
    unasked.asked_nothing = true;
    EXPECT_EQ(merge(with(TestState::failed), unasked).build, verdict::FailedIn::neither);
    EXPECT_FALSE(merge(with(TestState::passed), unasked).asked_nothing);
}

TEST(Merge, WhatTheSanitizedBuildPassedOnCreditFailsInBoth) {
    HiddenTest on_credit = with(TestState::passed);
    on_credit.given = "attention_weights";
    const HiddenTest test = merge(with(TestState::failed), on_credit);
    EXPECT_EQ(test.state, TestState::failed);
    EXPECT_EQ(test.points, 0);
    EXPECT_EQ(test.build, verdict::FailedIn::both) << "there nobody asked for evidence";
}

TEST(Merge, ASanitizersReportSaysMoreThanACrash) {
    const HiddenTest test =
        merge(with(TestState::failed, FailureKind::crash), with(TestState::failed, FailureKind::sanitizer));
    EXPECT_EQ(test.failure->kind, FailureKind::sanitizer);
    const HiddenTest value =
        merge(with(TestState::failed, FailureKind::wrong_value), with(TestState::failed, FailureKind::sanitizer));
    EXPECT_EQ(value.failure->kind, FailureKind::wrong_value);
    // What is sent by a program whose memory is overwritten says nothing.
    EXPECT_EQ(merge(with(TestState::failed, FailureKind::protocol), with(TestState::failed, FailureKind::sanitizer))
                  .failure->kind,
              FailureKind::sanitizer);
}

TEST(Merge, TheLineIsToldThatOneBuildKnows) {
    HiddenTest with_line = with(TestState::failed, FailureKind::crash);
    with_line.failure->at = verdict::SourceLine{"single_head.cpp", 7, "x"};
    HiddenTest report = with(TestState::failed, FailureKind::sanitizer);
    const HiddenTest test = merge(with_line, report);
    EXPECT_EQ(test.failure->kind, FailureKind::sanitizer);
    ASSERT_TRUE(test.failure->at);
    EXPECT_EQ(test.failure->at->line, 7);
    report.failure->function = "another_function";
    EXPECT_FALSE(merge(with_line, report).failure->at);
    EXPECT_FALSE(merge(with(TestState::failed), with_line).failure->at) << "wrong numbers have no line";
}

TEST(Merge, WhatWasNotAskedSaysLessThanAnyFailure) {
    const HiddenTest not_asked = with(TestState::failed, FailureKind::timeout);
    EXPECT_TRUE(was_not_asked(not_asked));
    EXPECT_EQ(merge(not_asked, with(TestState::failed)).failure->kind, FailureKind::wrong_value);
    EXPECT_EQ(merge(with(TestState::failed), not_asked).failure->kind, FailureKind::wrong_value);
    EXPECT_EQ(merge(not_asked, with(TestState::passed)).points, 0);
}

TEST(Merge, TimeThatOnlyTheSanitizersTookCostsNoPoint) {
    HiddenTest timeout = with(TestState::failed, FailureKind::timeout);
    for (const char* function : {"", "softmax_rows"}) {
        timeout.failure->function = function;
        EXPECT_EQ(unchecked_for_time({with(TestState::passed)}, {timeout}).size(), 1U);
        EXPECT_EQ(merge(with(TestState::passed), timeout).points, 2);
        EXPECT_EQ(merge(with(TestState::passed), timeout).state, TestState::passed);
        EXPECT_TRUE(unchecked_for_time({timeout}, {timeout}).empty());
        EXPECT_EQ(merge(timeout, with(TestState::passed)).points, 0);
        EXPECT_EQ(merge(timeout, timeout).points, 0);
        EXPECT_EQ(merge(with(TestState::failed), timeout).points, 0);
    }
    EXPECT_THAT(unchecked_for_time({with(TestState::passed)}, {timeout}).front(),
                testing::HasSubstr("your softmax_rows was too slow in the build that watches memory"));
    EXPECT_THAT(
        unchecked_for_time({with(TestState::passed), timeout}, {timeout, timeout}).front(),
        testing::HasSubstr("your softmax_rows did not come to an end in the build that watches memory, either"));
}

TEST(Merge, AMachinesFaultIsNeverAMark) {
    EXPECT_EQ(merge(with(TestState::failed), with(TestState::unavailable)).state, TestState::unavailable);
    EXPECT_EQ(merge(with(TestState::unavailable), with(TestState::passed)).state, TestState::unavailable);
}

TEST(StateOf, StubsAreNotFailures) {
    const HiddenTest passed = with(TestState::passed);
    const HiddenTest failed = with(TestState::failed);
    const HiddenTest stub = with(TestState::not_implemented);
    EXPECT_EQ(state_of({stub, stub}), State::not_started);
    EXPECT_EQ(state_of({passed, stub}), State::partial);
    EXPECT_EQ(state_of({failed, stub}), State::partial);
    EXPECT_EQ(state_of({passed, failed}), State::failed);
    EXPECT_EQ(state_of({passed, passed}), State::passed);
    EXPECT_EQ(state_of({passed, with(TestState::unavailable)}), State::unavailable);
    EXPECT_EQ(state_of({}), State::unavailable);
}

}  // namespace
}  // namespace headway::cli
