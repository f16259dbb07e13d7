// A worker that something outside may have ended: the machine is asked first, then the submission once more.
#include "student/hidden_test.hpp"
#include "student/student.hpp"
#include "student/visible_tests.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace headway::judge {
namespace {

/// In the place of a worker: reads what it is asked, and ends in this way.
sandbox::Launch shell(const std::string& end) {
    sandbox::Command command;
    command.arguments = {"/bin/sh", "-c", "dd bs=4096 count=1 <&3 >/dev/null 2>&1; " + end};
    command.environment = {"PATH=/usr/bin:/bin"};
    return sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway);
}

const char* const is_killed = "kill -KILL $$";

struct Ran {
    int times = 0;
    TestRecord record;
};

Ran run_test_with(Student& student) {
    Ran ran;
    EXPECT_THROW(run_test(student,
                          [&] {
                              ++ran.times;
                              student.outcome("f", {});
                          }),
                 StopTest);
    ran.record = student.test_record();
    return ran;
}

TEST(Doubt, WhatEndsItselfTwiceIsAtFault) {
    for (const char* signal : {"KILL", "TERM", "HUP", "INT"}) {
        Student student(shell("kill -" + std::string(signal) + " $$"), {});
        const Ran ran = run_test_with(student);
        EXPECT_EQ(ran.times, 2) << signal;
        ASSERT_TRUE(ran.record.failure) << signal;
        EXPECT_EQ(ran.record.failure->kind, verdict::FailureKind::crash);
        EXPECT_EQ(ran.record.story.size(), 1U) << "of the second time alone";
    }
}

TEST(Doubt, CrashesAndExitsAreNobodyElses) {
    for (const char* end : {"kill -SEGV $$", "kill -ABRT $$", "exit 0", "exit 137"}) {
        Student student(shell(end), {});
        const Ran ran = run_test_with(student);
        EXPECT_EQ(ran.times, 1) << end;
        EXPECT_TRUE(ran.record.failure) << end;
    }
}

TEST(Doubt, WhereNothingRunsTheMachineIsAtFault) {
    Student student(shell(is_killed), {});
    student.compared_with([] { return shell(is_killed); });
    const Ran ran = run_test_with(student);
    EXPECT_EQ(ran.times, 1);
    EXPECT_FALSE(ran.record.failure);
    EXPECT_NE(ran.record.unavailable.find("cannot run programs now"), std::string::npos) << ran.record.unavailable;
}

TEST(Doubt, AProgramThatCannotBeStartedIsTheMachinesFault) {
    sandbox::Command command;
    command.arguments = {"/nowhere/program"};
    Student student(sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway), {});
    EXPECT_NE(run_test_with(student).record.unavailable.find("/nowhere/program"), std::string::npos);
}

TEST(Doubt, ADiagnosisEndsWithTrouble) {
    Student student(shell(is_killed), {});
    student.compared_with([] { return shell(is_killed); });
    student.ends_with_trouble();
    EXPECT_THROW(student.outcome("f", {}), std::runtime_error);
}

void expect_a_refusal() { EXPECT_THROW(asked("f", {}), std::invalid_argument); }

const VisibleRegistration visible("of this test", {"F.Refuses", 7, &expect_a_refusal});

TestRecord record_of_visible_test(Student& student) {
    EXPECT_THROW(run_test(student, [&] { ask_visible_tests(student, "of this test"); }), StopTest);
    return student.test_record();
}

TEST(Doubt, WhereAVisibleTestExpectsAnExceptionTroubleIsNone) {
    Student student(shell(is_killed), {});
    student.compared_with([] { return shell(is_killed); });
    const TestRecord record = record_of_visible_test(student);
    EXPECT_FALSE(record.failure);
    EXPECT_NE(record.unavailable.find("cannot run programs now"), std::string::npos) << record.unavailable;
}

TEST(Doubt, WhereAVisibleTestExpectsAnExceptionACrashIsACrash) {
    Student student(shell("kill -SEGV $$"), {});
    const TestRecord record = record_of_visible_test(student);
    ASSERT_TRUE(record.failure);
    EXPECT_EQ(record.failure->kind, verdict::FailureKind::crash) << record.failure->message;
}

}  // namespace
}  // namespace headway::judge
