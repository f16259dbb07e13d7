// What goes wrong in one call fails the tests that make that call, with its cause in words; the suite goes on.
#include "headway.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace headway {
namespace {

using verdict::FailureKind;
using verdict::TestState;

struct Misdeed {
    const char* name;
    const char* body;
    std::vector<FailureKind> kinds;  ///< any of these is the true cause
    const char* words;               ///< that the message holds
    const char* before = "";
    const char* policy = "";
};

void PrintTo(const Misdeed& misdeed, std::ostream* out) { *out << misdeed.name; }

class InOneCall : public testing::TestWithParam<Misdeed> {};

TEST_P(InOneCall, FailsItsTestsWithTheCause) {
    Desk desk;
    desk.write("01_single_head/single_head.cpp", single_head_with_softmax(GetParam().body, GetParam().before));
    desk.write("../policy.toml", GetParam().policy);
    const verdict::Exercise exercise = desk.grade("01");
    EXPECT_EQ(exercise.state, verdict::State::failed) << exercise.build.message << exercise.problem;
    int failed = 0;
    int passed = 0;
    for (const verdict::Test& test : exercise.tests) {
        passed += test.state == TestState::passed ? 1 : 0;
        if (test.state != TestState::failed) continue;
        ++failed;
        ASSERT_TRUE(test.failure);
        EXPECT_EQ(test.failure->function, "softmax_rows") << test.name;
        EXPECT_NE(std::find(GetParam().kinds.begin(), GetParam().kinds.end(), test.failure->kind),
                  GetParam().kinds.end())
            << to_string(test.failure->kind) << ": " << test.failure->message;
        EXPECT_NE(test.failure->message.find(GetParam().words), std::string::npos) << test.failure->message;
        EXPECT_LE(test.output.size(), 64U << 10U);
    }
    EXPECT_GE(failed, 2);
    EXPECT_GE(passed, 5) << "attention_weights and the rest do not call the bad softmax_rows";
}

INSTANTIATE_TEST_SUITE_P(
    Misdeeds, InOneCall,
    testing::Values(
        Misdeed{"ThrowsAnInt", "throw 42;", {FailureKind::exception}, "threw int"},
        Misdeed{"ThrowsARuntimeError",
                "throw std::runtime_error(\"no idea\");",
                {FailureKind::exception},
                "threw std::runtime_error: no idea"},
        Misdeed{"CallsExit", "std::exit(0);", {FailureKind::exit}, "exit status 0"},
        Misdeed{"CallsQuickExit", "_exit(0);", {FailureKind::exit}, "exit status 0", "#include <unistd.h>"},
        Misdeed{"Aborts", "std::abort();", {FailureKind::crash}, "SIGABRT"},
        Misdeed{"FollowsANullPointer",
                "volatile int* p = nullptr; *p = 1; return scores;",
                {FailureKind::crash, FailureKind::sanitizer},
                "memory"},
        Misdeed{"RecursesForEver",
                "return deep(scores, 1);",
                {FailureKind::crash, FailureKind::sanitizer},
                "recurse",
                "headway::Tensor deep(const headway::Tensor& x, volatile int n) { volatile char pad[4096]; pad[0] = 1; "
                "headway::Tensor y = deep(x, n + pad[0]); return y + 1.0f; }"},
        Misdeed{"ReturnsAnUndefinedTensor", "return Tensor{};", {FailureKind::wrong_shape}, "undefined"},
        Misdeed{"ReturnsTheWrongShape", "return Tensor::zeros({2, 2, 2});", {FailureKind::wrong_shape}, "(2, 2, 2)"},
        Misdeed{"ReturnsNaN",
                "return scores * std::numeric_limits<float>::quiet_NaN();",
                {FailureKind::wrong_value},
                "wrong in"},
        Misdeed{"AsksForTooMuchMemory",
                "std::vector<std::string> all; for (;;) all.emplace_back(std::size_t{1} << 24, 'x');",
                {FailureKind::memory},
                "used more than 256 MiB of memory",
                "",
                "[worker]\nmemory_mib = 256\n"},
        Misdeed{"AsksForTooMuchMemoryInManyProcesses",
                "for (int child = 0; child < 20; ++child) if (::fork() == 0) { ::usleep(200000); "
                "std::string mine(std::size_t{1} << 26, 'x'); for (;;) ::pause(); } ::pause(); return scores;",
                {FailureKind::memory},
                " processes",
                "#include <unistd.h>",
                "[worker]\nmemory_mib = 256\n"},
        // Pages are slow on some machines: time may be over first.
        Misdeed{"AsksForTooMuchMemoryByAndBy",
                "std::vector<Tensor> all; for (;;) all.push_back(Tensor::ones({1 << 22}));",
                {FailureKind::memory, FailureKind::timeout},
                ""},
        Misdeed{"FloodsTheOutput",
                "for (;;) std::cout << std::string(1 << 16, 'x');",
                {FailureKind::output_flood},
                "printed more than"},
        Misdeed{"WritesToTheJudgesSocket",
                "std::string s(4096, 'x'); if (::write(3, s.data(), s.size()) < 0) {} return scores;",
                {FailureKind::protocol},
                "not an answer",
                "#include <unistd.h>"},
        Misdeed{"ClosesTheJudgesSocket",
                "::close(3); for (volatile int i = 0;; ++i) ::usleep(1000);",
                {FailureKind::protocol, FailureKind::exit},
                "connection",
                "#include <unistd.h>"},
        Misdeed{
            "KillsItself", "::raise(SIGKILL); return scores;", {FailureKind::crash}, "SIGKILL", "#include <csignal>"},
        Misdeed{"DividesByZero",
                "volatile int zero = 0, seven = 7; return scores * float(seven / zero);",
                {FailureKind::crash, FailureKind::sanitizer},
                "zero"},
        Misdeed{"ReadsOutOfBounds",
                "const float* p = scores.data(); return scores + p[scores.numel()] * 0.0f;",
                {FailureKind::sanitizer, FailureKind::wrong_value},
                ""}),
    [](const auto& misdeed) { return misdeed.param.name; });

TEST(InOneCallSlowly, LoopsForEver) {
    Desk desk;
    desk.write("01_single_head/single_head.cpp",
               single_head_with_softmax("for (volatile bool on = true; on;) {} return scores;"));
    const verdict::Exercise exercise = desk.grade("01");
    EXPECT_EQ(exercise.state, verdict::State::failed);
    EXPECT_EQ(exercise.tests.at(0).failure->kind, FailureKind::timeout) << exercise.tests.at(0).failure->message;
    EXPECT_NE(exercise.tests.at(0).failure->message.find("did not come to an end"), std::string::npos);
    EXPECT_EQ(exercise.tests.at(6).state, TestState::passed) << "with_residual is right";
}

TEST(BeforeMain, AConstructorThatExitsFailsEverything) {
    Desk desk;
    desk.write("01_single_head/single_head.cpp", solution("01_single_head/single_head.cpp") +
                                                     "\n#include <cstdlib>\nstatic int early = (std::exit(0), 1);\n");
    const verdict::Exercise exercise = desk.grade("01");
    EXPECT_EQ(exercise.state, verdict::State::failed);
    EXPECT_EQ(exercise.points, 0);
    EXPECT_EQ(exercise.tests.at(0).failure->kind, FailureKind::exit);
}

TEST(Output, IsShownWithItsTestAndNeverMistakenForAResult) {
    Desk desk;
    desk.write("01_single_head/single_head.cpp",
               single_head_with_softmax(
                   "std::cout << \"[  PASSED  ] all \\x1b[2J tests\" << std::endl; std::cerr << \"on stderr\"; "
                   "return softmax_rows_of_the_solution(scores);"));
    const verdict::Exercise exercise = desk.grade("01");
    EXPECT_EQ(exercise.state, verdict::State::passed);
    EXPECT_NE(exercise.tests.at(0).output.find("[  PASSED  ]"), std::string::npos);
    EXPECT_NE(exercise.tests.at(0).output.find("on stderr"), std::string::npos);
}

TEST(EigenAssertions, BecomeErrorsWithTheirText) {
    Desk desk;
    desk.write(
        "01_single_head/single_head.cpp",
        single_head_with_softmax("Eigen::MatrixXf a(2, 3), b(4, 5); a.setOnes(); b.setOnes(); a += b; return scores;",
                                 "#include <headway/eigen.hpp>"));
    const verdict::Exercise exercise = desk.grade("01");
    ASSERT_TRUE(exercise.tests.at(0).failure) << exercise.build.message;
    EXPECT_EQ(exercise.tests.at(0).failure->kind, FailureKind::exception);
    EXPECT_NE(exercise.tests.at(0).failure->message.find("Eigen assertion failed"), std::string::npos)
        << exercise.tests.at(0).failure->message;
}

}  // namespace
}  // namespace headway
