// Whatever a worker answers to a visible test is the submission's failure, told in a few words and within a moment.
#include "student/visible_tests.hpp"
#include "student/hidden_test.hpp"
#include "student/student.hpp"

#include "submission/digest.hpp"
#include "temporary_folder.hpp"
#include "wire/frame.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace headway::judge {
namespace {

void write_out() { EXPECT_EQ(to_string(asked_for<Mask>("causal_mask", {})), "a mask"); }
void write_many_words() { EXPECT_EQ(std::string(3'000'000, 'x'), to_string(asked_for<Mask>("causal_mask", {}))); }
void throw_from_a_stand_in() {
    asked("causal_mask", {});
    throw std::runtime_error("no file of ours");
}

const VisibleRegistration written_out("written out", {"Mask.IsWrittenOut", 7, &write_out});
const VisibleRegistration in_many_words("in many words", {"Mask.IsAMegabyte", 7, &write_many_words});
const VisibleRegistration with_a_throw("with a throw", {"StandIn.Throws", 7, &throw_from_a_stand_in});

/// What is said of a worker that answers the first question so.
TestRecord record_of(const std::string& exercise, const wire::Value& answer) {
    const build::TemporaryFolder folder;
    const wire::Bytes frame = wire::framed(wire::encode(wire::Reply{1, answer, {}, {}}));
    const auto file = folder.path() / "answer";
    build::write_file(file, {reinterpret_cast<const char*>(frame.data()), frame.size()});
    sandbox::Command command;
    command.arguments = {"/bin/sh", "-c",
                         "dd bs=4096 count=1 <&3 >/dev/null 2>&1; cat " + file.string() + " >&3; sleep 60"};
    command.environment = {"PATH=/usr/bin:/bin"};
    Student student(sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway), {});
    EXPECT_THROW(run_test(student, [&] { ask_visible_tests(student, exercise); }), StopTest);
    return student.test_record();
}

TEST(VisibleTests, AnAnswerThatIsLargeWhenWrittenOutIsRefusedBeforeItIs) {
    const Mask mask = Mask::allow_all({1, 1, 1, 1, 1, 1, 1}).expand({8, 8, 8, 8, 8, 8, 8});
    const TestRecord record = record_of("written out", mask);
    ASSERT_TRUE(record.failure);
    EXPECT_EQ(record.failure->message,
              "your causal_mask answered with 2048 KiB of numbers, where visible_test.cpp asks for a few");
}

TEST(VisibleTests, WhatGoogleTestWritesOutIsCutShort) {
    const TestRecord record = record_of("in many words", Mask::allow_all({2}));
    ASSERT_TRUE(record.failure);
    EXPECT_LT(record.failure->message.size(), 2500U);
    EXPECT_NE(record.failure->message.find("is not what visible_test.cpp expects in line"), std::string::npos);
}

TEST(VisibleTests, WhatAStandInThrowsIsTheSubmissionsFailure) {
    const TestRecord record = record_of("with a throw", Mask::allow_all({2}));
    ASSERT_TRUE(record.failure) << record.unavailable;
    EXPECT_NE(record.failure->message.find("no file of ours"), std::string::npos) << record.failure->message;
}

}  // namespace
}  // namespace headway::judge
