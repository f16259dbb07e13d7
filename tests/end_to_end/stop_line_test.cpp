// A call that is stopped, or ended by a signal, is told with the line of the student's own file where it was.
#include "headway.hpp"

#include <gmock/gmock.h>

namespace headway {
namespace {

using testing::HasSubstr;
using verdict::FailureKind;

/// The solution of exercise 01, with a softmax_rows that does `text` first.
std::string softmax_that(const std::string& text, const std::string& before = "") {
    return single_head_with_softmax(text + "    return softmax_rows_of_the_solution(scores);\n", before);
}

verdict::Failure first_failure(Desk& desk, const std::string& program) {
    desk.write("01_single_head/single_head.cpp", program);
    return desk.first_failure("01");
}

void expect_line(const verdict::Failure& failure, const std::string& program, const std::string& text) {
    ASSERT_TRUE(failure.at) << failure.message;
    EXPECT_EQ(failure.at->file, "single_head.cpp");
    EXPECT_EQ(failure.at->line, line_of(program, text));
    EXPECT_THAT(failure.at->text, HasSubstr(text));
    EXPECT_FALSE(failure.frames);
}

TEST(StopLine, OfALoop) {
    Desk desk;
    const std::string program = softmax_that("    volatile int i = 0;\n    while (i < 5) i = 0;\n");
    const verdict::Failure failure = first_failure(desk, program);
    EXPECT_EQ(failure.kind, FailureKind::timeout);
    EXPECT_THAT(failure.message, HasSubstr("did not come to an end within 3 s"));
    expect_line(failure, program, "while (i < 5)");
    const auto shown = desk.headway({"grade", "01", "--submission", desk.submission().string()});
    const std::string line = "at single_head.cpp:" + std::to_string(failure.at->line) + ":   while (i < 5) i = 0;";
    EXPECT_TRUE(says(shown, "▸ a loop never ends"));
    const std::size_t told = shown.output.find(line);
    EXPECT_NE(told, std::string::npos) << shown.output;
    EXPECT_LT(told, shown.output.find("why it matters")) << "with its name";
    EXPECT_EQ(shown.output.find("within 0."), std::string::npos) << "one limit is named: " << shown.output;
}

/// All that the compiler leaves of it is a jump.
TEST(StopLine, OfALoopThatChangesNothing) {
    Desk desk;
    const std::string program = softmax_that(
        "    double row[4] = {};\n"
        "    const Index n = std::min<Index>(scores.size(1), 4);\n"
        "    Index i;\n"
        "    for (i = 0; i < n; i++)\n"
        "        row[i] = std::exp(scores(0, i));\n"
        "    i = 0;\n"
        "    while (i < n)\n"
        "        row[i] /= 2;\n",
        "#include <algorithm>\n#include <cmath>\n");
    const verdict::Failure failure = first_failure(desk, program);
    EXPECT_EQ(failure.kind, FailureKind::timeout);
    expect_line(failure, program, "while (i < n)");
}

TEST(StopLine, OfALoopThatCallsASmallFunction) {
    Desk desk;
    const std::string program =
        softmax_that("    for (Index i = 0; i < 5;)\n        if (size_of(scores, i) == 0) ++i;\n",
                     "headway::Index size_of(const headway::Tensor& x, headway::Index i) {\n"
                     "    volatile headway::Index size = 1;\n    return x.size(0) + i + size;\n}\n");
    const verdict::Failure failure = first_failure(desk, program);
    EXPECT_EQ(failure.kind, FailureKind::timeout);
    ASSERT_TRUE(failure.at) << failure.message;
    const int first = line_of(program, "for (Index i = 0; i < 5;)");
    EXPECT_TRUE(failure.at->line == first || failure.at->line == first + 1) << failure.at->line;
}

TEST(StopLine, OfAWaitInAnotherFile) {
    Desk desk;
    desk.write("01_single_head/parts/wait.hpp",
               "#include <chrono>\n#include <thread>\n\ninline void rest() {\n"
               "    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));\n}\n");
    const verdict::Failure failure =
        first_failure(desk, softmax_that("    rest();\n", "#include \"parts/wait.hpp\"\n"));
    EXPECT_EQ(failure.kind, FailureKind::timeout);
    EXPECT_THAT(failure.message, HasSubstr("does it wait for something?"));
    ASSERT_TRUE(failure.at) << failure.message;
    EXPECT_EQ(failure.at->file, "parts/wait.hpp");
    EXPECT_EQ(failure.at->line, 5);
}

TEST(StopLine, OfALoopInTheLibrarysHands) {
    Desk desk;
    const std::string program =
        softmax_that("    Tensor sum_of_all = scores;\n    for (;;)\n        sum_of_all = sum_of_all + scores;\n");
    const verdict::Failure failure = first_failure(desk, program);
    ASSERT_TRUE(failure.at) << failure.message;
    const int first = line_of(program, "for (;;)");
    EXPECT_TRUE(failure.at->line == first || failure.at->line == first + 1) << failure.at->line;
}

TEST(StopLine, OfAnAbort) {
    Desk desk;
    const std::string program = softmax_that("    if (scores.rank() == 2) std::abort();\n", "#include <cstdlib>\n");
    const verdict::Failure failure = first_failure(desk, program);
    EXPECT_EQ(failure.kind, FailureKind::crash) << failure.message;
    expect_line(failure, program, "std::abort()");
}

TEST(StopLine, OfARecursionWithoutEnd) {
    Desk desk;
    const std::string program = softmax_that("    if (deeper(1) == 1) return scores;\n",
                                             "int deeper(volatile int depth) {\n"
                                             "    volatile char room[4096] = {};\n"
                                             "    return depth == 0 ? room[1] : deeper(depth + 1) + room[0];\n}\n");
    const verdict::Failure failure = first_failure(desk, program);
    ASSERT_TRUE(failure.at) << failure.message;
    EXPECT_EQ(failure.at->file, "single_head.cpp");
    const int first = line_of(program, "int deeper(");
    EXPECT_TRUE(failure.at->line >= first && failure.at->line <= first + 2) << failure.at->line;
}

TEST(StopLine, LinesThatWereNotHandedInAreNotShown) {
    Desk desk;  // ThrowLine asks of more such claims: a loop takes long to judge
    EXPECT_FALSE(
        first_failure(desk, softmax_that("\n#line 1 \"/etc/passwd\"\n    for (volatile int i = 0; i < 5;) i = 0;\n"))
            .at);
}

TEST(StopLine, OfAMacroIsWhereItIsUsed) {
    Desk desk;
    const std::string program =
        softmax_that("    SPIN;\n", "#define SPIN              \\\n    for (volatile int i = 0; i < 5;) i = 0\n");
    const verdict::Failure failure = first_failure(desk, program);
    ASSERT_TRUE(failure.at) << failure.message;
    EXPECT_EQ(failure.at->line, line_of(program, "    SPIN;"));
}

}  // namespace
}  // namespace headway
