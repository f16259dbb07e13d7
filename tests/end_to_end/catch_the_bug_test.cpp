// Exercise 06, where the submission is a file of tests: what counts, and what is told.
#include "headway.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headway {
namespace {

constexpr const char* file = "06_catch_the_bug/catch_the_bug.cpp";

/// A submission of these tests alone, after a small vocabulary.
std::string tests(const std::string& text) {
    return R"(#include "catch_the_bug.hpp"
namespace headway::ex06 {
Inputs ones() {
    Inputs in;
    in.query = in.key = in.value = Tensor::ones({2, 3, 4});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(4);
    in.num_heads = 2;
    return in;
}
)" + text + "}\n";
}

/// The solution, with more tests.
std::string solution_and(const std::string& text) { return solution(file) + tests(text); }

verdict::Exercise graded(const std::string& text) {
    Desk desk;
    desk.write(file, text);
    return desk.grade("06");
}

const verdict::Test& right_ones(const verdict::Exercise& exercise) {
    return *std::ranges::find(exercise.tests, std::string("RightOnesPass"), &verdict::Test::name);
}

/// Whether one of its remarks says so.
bool remarks(const verdict::Exercise& exercise, const std::string& words) {
    const auto& told = right_ones(exercise).remarks;
    return told && std::ranges::any_of(*told, [&](const auto& remark) { return remark.find(words) != remark.npos; });
}

TEST(CatchTheBug, EachRightAttentionThatIsFailedCostsOneThatIsCaught) {
    const verdict::Exercise all = graded(solution(file));
    EXPECT_EQ(all.points, 10);
    EXPECT_EQ(all.state, verdict::State::passed);
    // Only one of the right attentions hands out its weights keys first.
    const verdict::Exercise one = graded(solution_and(R"(
TEST(Strict, WeightsAreContiguous) { EXPECT_TRUE(attention(ones()).weights.is_contiguous()); }
)"));
    EXPECT_EQ(one.points, 9);
    EXPECT_EQ(one.state, verdict::State::failed);
    EXPECT_NE(right_ones(one).failure->message.find("1 of 7 right attentions"), std::string::npos);
    EXPECT_NE(right_ones(one).failure->message.find("Strict.WeightsAreContiguous"), std::string::npos);
}

TEST(CatchTheBug, ATestThatFailsEverythingOrNothingIsToldSo) {
    const verdict::Exercise exercise = graded(tests(R"(
TEST(Never, Fails) { EXPECT_EQ(attention(ones()).output.rank(), 3); }
TEST(Always, Fails) { EXPECT_EQ(attention(ones()).output.rank(), 4); }
)"));
    EXPECT_EQ(exercise.points, 0);
    EXPECT_TRUE(remarks(exercise, "Never.Fails: passes with every one of 27 attentions"));
    EXPECT_TRUE(remarks(exercise, "Always.Fails: fails with every one of 27 attentions"));
}

TEST(CatchTheBug, CoverageIsToldBesideWhatItCaught) {
    const verdict::Exercise exercise = graded(tests(R"(
TEST(Runs, EveryLineAndChecksNothing) {
    Inputs in = ones();
    in.b_q = in.b_k = in.b_v = in.b_o = Tensor::ones({4});
    in.mask = Mask::block_all({3, 3});
    in.mask(1, 1) = in.mask(2, 0) = false;
    in.causal = true;
    attention(in);
    attention(ones());
}
)"));
    if (std::string(HEADWAY_COMPILER) != "GNU") GTEST_SKIP() << "counted by g++ only";
    EXPECT_TRUE(remarks(exercise, "your tests run 100 % of the lines"));
    EXPECT_TRUE(remarks(exercise, "catch 0 of 20 wrong ones: a line that is run is not a line that is checked"));
}

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
        EXPECT_NE(right_ones(exercise).failure->message.find("7 of 7 right attentions"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace headway
