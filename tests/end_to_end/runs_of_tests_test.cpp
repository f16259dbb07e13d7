// Exercise 06: tests that are none, that do not come to their end, or that are others each time.
#include "catch_the_bug.hpp"

namespace headway::catch_the_bug {
namespace {

TEST(CatchTheBug, WithoutATestItIsNotStarted) {
    EXPECT_EQ(graded(tests("")).state, verdict::State::not_started);
    EXPECT_EQ(graded(tests("TEST(Later, On) { GTEST_SKIP(); }\n")).state, verdict::State::not_started);
}

TEST(CatchTheBug, TestsThatNeverEndOrCrashAreNoPassAndNoCatch) {
    for (const char* text : {"TEST(Loop, Forever) { for (volatile int i = 0;; i = i + 1) attention(ones()); }\n",
                             "TEST(Loop, Silently) { for (volatile int i = 0;; i = i + 1) {} }\n",
                             "TEST(Crash, AtOnce) { *static_cast<volatile int*>(nullptr) = 1; }\n",
                             "const Attended early = attention(ones());\nTEST(Early, Bird) {}\n"}) {
        const verdict::Exercise exercise = graded(tests(text));
        EXPECT_EQ(exercise.state, verdict::State::failed) << text;
        EXPECT_EQ(exercise.points, 0) << text;
        EXPECT_NE(right_ones(exercise).failure->message.find("10 of 10 right attentions"), std::string::npos) << text;
    }
}

TEST(CatchTheBug, TheTestAndTheLineWhereTheyCrashOrDoNotEndAreTold) {
    const auto line_of = [](const verdict::Exercise& exercise) {
        const auto& at = right_ones(exercise).failure->at;
        return at ? at->text : std::string();
    };
    const verdict::Exercise crashed = graded(tests(R"(
TEST(First, Passes) { EXPECT_EQ(attention(ones()).output.rank(), 3); }
TEST(Bias, OfNone) {
    const volatile float* const b = ones().b_q.data();
    EXPECT_EQ(b[1] + 0.0F, 0);
}
)"));
    expect_said(told(crashed, "RightOnesPass"), "your tests, in Bias.OfNone, crashed: SIGSEGV");
    expect_said(line_of(crashed), "b[1]");
    expect_said(told(crashed, "Scale"), "do not come to their end, as above");
    const verdict::Exercise at_once =
        graded(tests("TEST(Crash, AtOnce) { *static_cast<volatile int*>(nullptr) = 1; }\n"));
    EXPECT_FALSE(remarks(at_once, "never ask"));
    const verdict::Exercise early = graded(tests("const Attended early = attention(ones());\nTEST(Early, Bird) {}\n"));
    expect_said(told(early, "RightOnesPass"),
                "your tests were never reached: before main, the program threw std::logic_error, which nothing could "
                "catch: attention() was asked before any TEST runs");
    expect_said(told(early, "RightOnesPass"), "move it into a TEST or SetUp");
    expect_said(line_of(early), "early = attention(ones())");
    expect_said(told(early, "Scale"), "no test of yours was reached, as above");
    const verdict::Exercise endless = graded(tests(R"(
TEST(Loop, Silently) {
    for (volatile int i = 0; i < 2;)
        if (i > 2) i = 0;
}
)"));
    expect_said(told(endless, "RightOnesPass"), "your tests, in Loop.Silently, did not come to their end in time");
    EXPECT_NE(line_of(endless), "");
    expect_said(told(graded(tests(R"(
TEST(Few, Questions) { attention(ones()); }
TEST(Many, Questions) { for (int i = 0; i < 1500; ++i) attention(ones()); }
TEST(More, Questions) { for (int i = 0; i < 1500; ++i) attention(ones()); }
)")),
                     "RightOnesPass"),
                "ask one attention more than 2000 questions: 1500 of them in Many.Questions, 499 in More.Questions");
}

TEST(CatchTheBug, WhatIsNotTheSameInEachRunCountsForNothing) {
    for (const char* text : {R"(
struct Failing : ::testing::Test { void TestBody() override { FAIL(); } };
const auto* const registered = ::testing::RegisterTest("Named", std::to_string(std::random_device{}()).c_str(), nullptr,
    nullptr, __FILE__, __LINE__, []() -> ::testing::Test* { return new Failing; });
)",
                             R"(
struct Coin : ::testing::TestWithParam<int> {};
TEST_P(Coin, Falls) { EXPECT_NE(std::random_device{}() % 4, 0); }
INSTANTIATE_TEST_SUITE_P(Many, Coin, ::testing::Range(0, 200));
)"}) {
        const verdict::Exercise exercise = graded(solution_and(text));
        EXPECT_EQ(exercise.points, 0) << text;
        EXPECT_NE(right_ones(exercise).failure->message.find("not reproducible"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace headway::catch_the_bug
