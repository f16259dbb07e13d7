// What the source and the compiler's warnings tell of a call that a signal ended.
#include "grading/causes_of_crashes.hpp"

#include <gmock/gmock.h>

#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace headway::cli {
namespace {

using testing::HasSubstr;
using verdict::FailureKind;

const std::vector<build::SourceFile> ends_early = {{"tiled.cpp",
                                                    "Tensor larger(const Tensor& a) {\n"
                                                    "    use(a);\n"
                                                    "}\n"
                                                    "Tensor whole(const Tensor& a) {\n"
                                                    "    const Tensor b = larger(a);\n"
                                                    "    return b;\n"
                                                    "}\n"}};

/// Of `whole`, which ends at this line with the compiler's warning at that.
verdict::Failure ended(const std::string& how, verdict::SourceLine at, verdict::SourceLine warned,
                       FailureKind kind = FailureKind::crash) {
    verdict::CompilerMessage warning;
    warning.text = "no return statement in function returning non-void [-Wreturn-type]";
    warning.at = std::move(warned);
    verdict::Failure failure;
    failure.kind = kind;
    failure.function = "whole";
    failure.message = "your whole " + how;
    failure.at = std::move(at);
    tell_which_return_is_missing(failure, {warning}, ReadSources(ends_early));
    return failure;
}

TEST(CausesOfCrashes, WhatTheCompilerSawCallItselfForEverIsTold) {
    const std::vector<build::SourceFile> files = {{"block.cpp",
                                                   "void go_back(int i) {\n    go_back(i + 1);\n}\n"
                                                   "int stack(int x) {\n    go_back(x);\n    return x;\n}\n"
                                                   "int other(int x) {\n    return x;\n}\n"}};
    const auto told = [&](const char* function, const char* words, FailureKind kind = FailureKind::crash) {
        verdict::CompilerMessage warning;
        warning.text = words;
        warning.at = {"block.cpp", 1, "void go_back(int i) {"};
        verdict::Failure failure;
        failure.kind = kind;
        failure.function = function;
        tell_what_never_works(failure, {warning}, ReadSources(files));
        return failure.advice.value_or("");
    };
    constexpr const char* recursion = "infinite recursion detected [-Winfinite-recursion]";
    EXPECT_THAT(told("stack", recursion), HasSubstr("block.cpp:1 that go_back calls itself whatever happens"));
    EXPECT_THAT(told("stack", recursion, FailureKind::exception), HasSubstr("go_back"));
    EXPECT_EQ(told("stack", recursion, FailureKind::wrong_value), "");
    EXPECT_EQ(told("other", recursion), "") << "it does not get there";
    EXPECT_EQ(told("stack", "unused variable [-Wunused-variable]"), "");
    EXPECT_THAT(told("stack", "reference to local variable 'in' returned [-Wreturn-local-addr]"),
                HasSubstr("go_back returns a reference to a variable of its own"));
}

constexpr const char* freed_twice =
    "aborted: SIGABRT, after it printed \"munmap_chunk(): invalid pointer\" (memory was freed twice, or something "
    "wrote "
    "where it must not, maybe earlier than here)";

TEST(CausesOfCrashes, AReturnThatIsMissingIsToldFirst) {
    const verdict::SourceLine in_larger = {"tiled.cpp", 2, "use(a);"}, end = {"tiled.cpp", 3, "}"};
    const verdict::SourceLine call = {"tiled.cpp", 5, "const Tensor b = larger(a);"};
    for (const auto& at : {in_larger, call})
        EXPECT_EQ(
            ended(freed_twice, at, end).message,
            "your larger can end without returning a value (the compiler warns of it at tiled.cpp:3). Your whole " +
                std::string(freed_twice));
    EXPECT_THAT(ended(freed_twice, call, {"tiled.cpp", 7, "}"}).message,
                testing::StartsWith("your whole can end without returning a value (the compiler warns of it at "
                                    "tiled.cpp:7). It aborted: SIGABRT"));
    EXPECT_TRUE(ended("crashed: SIGSEGV (it touched memory that is not its own)", call, end).advice);
    EXPECT_FALSE(ended(freed_twice, {"tiled.cpp", 6, "return b;"}, end).advice) << "nothing leads there";
    EXPECT_FALSE(ended(freed_twice, call, {"tiled.cpp", 7, "};"}).advice) << "a lambda's end";
    EXPECT_FALSE(ended("crashed: SIGFPE (an integer division by zero)", call, end).advice);
    EXPECT_FALSE(ended("threw std::invalid_argument: a", call, end).advice);
    EXPECT_FALSE(ended("threw std::runtime_error: crashed: SIGSEGV", call, end, FailureKind::exception).advice);
}

/// At a line of `softmax`, which calls a lambda of `right_answer`, or at line 7, which reads the mask.
verdict::Failure crashed(const std::string& declared, const std::string& read, int at) {
    const std::vector<build::SourceFile> tests = {{"tests.cpp",
                                                   "void softmax(float* row, IsOpen open) {\n"
                                                   "    if (open(0)) row[0] = 1;\n"
                                                   "}\n"
                                                   "Attended right_answer(const Inputs& in) {\n    " +
                                                       declared + "\n    softmax(w, [&](Index s) {\n        " + read +
                                                       "\n    });\n"
                                                       "    return {};\n"
                                                       "}\n"}};
    verdict::Failure failure;
    failure.message = "your tests, in OneCase.NoBiases, crashed: SIGSEGV (it touched memory that is not its own)";
    failure.at = verdict::SourceLine{"tests.cpp", at, ""};
    tell_of_a_mask_that_is_not_given(failure, {{"tests.cpp", 6, ""}}, ReadSources(tests));
    return failure;
}

TEST(CausesOfCrashes, AMaskThatIsNotGivenHasNoData) {
    const std::string declared = "const bool* blocked = in.mask.data();", read = "return !blocked[s];";
    for (const int at : {2, 7}) {
        const verdict::Failure told = crashed(declared, read, at);
        ASSERT_TRUE(told.advice) << at;
        EXPECT_EQ(*told.advice,
                  "blocked is in.mask.data() (line 5), and nothing there asks whether there is a mask: where none is "
                  "given (Mask{}), it points nowhere. Ask in.mask.defined() first.");
        EXPECT_EQ(told.at->line, 7);
    }
    EXPECT_FALSE(crashed(declared, "return !in.mask.defined() || !blocked[s];", 2).advice);
    EXPECT_FALSE(crashed(declared, "return blocked && !blocked[s];", 2).advice);
    EXPECT_FALSE(crashed(declared, read, 9).advice) << "another line of the same function";
    EXPECT_FALSE(crashed("const float* q = in.query.data();", "return q[s] > 0;", 2).advice);
    EXPECT_FALSE(crashed("Mask mask = all(); bool* m = mask.data();", "return m[s];", 2).advice);
    EXPECT_THAT(crashed("const float* pb = in.b_q.data();", "return pb[s] > 0;", 2).advice.value_or(""),
                HasSubstr("nothing there asks whether there is a bias: where none is given (Tensor{})"));
}

TEST(CausesOfCrashes, AVectorWithoutElementsIsToldWithItsLine) {
    const auto told = [](const std::string& declared, const std::string& line, const std::string& behind = "") {
        verdict::Failure failure;
        failure.message = "your tests, in A.B, crashed: SIGSEGV (it touched memory that is not its own)";
        failure.at = verdict::SourceLine{"catch_the_bug.cpp", 3, line};
        const std::vector<build::SourceFile> files = {
            {"catch_the_bug.cpp", "void expected(Index S) {\n" + declared + "\n" + line + "\n" + behind + "\n}\n"}};
        tell_of_a_vector_without_elements(failure, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_EQ(told("std::vector<double> row;", "row[s] = 1;", "sum += row[s];"),
              "row has no elements: line 2 makes it without any, and none are added. std::vector<double> row(n) begins "
              "with n of them; reserve() makes room alone.");
    EXPECT_THAT(told("std::vector<std::vector<float>> rows{}; rows.reserve(S);", "a[s] += rows[s][0];"),
                HasSubstr("rows has no elements: line 2"));
    for (const char* behind : {"return row;", "return Tensor::of({2, 3}, row);"})
        EXPECT_THAT(told("std::vector<double> row;", "row[s] = 1;", behind), HasSubstr("row has no elements: line 2"));
    EXPECT_EQ(told("std::vector<double> row;", "row[s] = 1;", "make(of(x), row);"), "") << "which may fill it";
    EXPECT_EQ(told("std::vector<double> row(S);", "row[s] = 1;"), "");
    EXPECT_EQ(told("std::vector<double> row; row.resize(S);", "row[s] = 1;"), "");
    EXPECT_EQ(told("std::vector<double> row; fill(row);", "row[s] = 1;"), "");
    EXPECT_EQ(told("std::vector<double> row;", "row[s] = 1;", "row = other;"), "") << "in a round before";
    EXPECT_EQ(told("std::map<int, double> row;", "row[s] = 1;"), "");
    EXPECT_EQ(told("std::vector<std::array<float, 4>> sums(S);", "sums[t][0] = 1;"), "");
    EXPECT_EQ(told("std::vector<std::vector<float>> rows(table_of(x));", "rows[t][0] = 1;"), "");
    EXPECT_THAT(told("std::vector<std::vector<bool>> sees(S);", "sees[t][s] = open;", "auto now = sees;"),
                HasSubstr("sees has S rows (line 2), each without elements"));
    EXPECT_EQ(told("std::vector<std::vector<bool>> sees(S, std::vector<bool>(S));", "sees[t][s] = open;"), "");
    EXPECT_EQ(
        told("std::vector<std::vector<bool>> all = f(S); std::vector<std::vector<bool>> sees(all);", "sees[t][s] = 1;"),
        "")
        << "a copy";
    EXPECT_EQ(told("std::vector<std::vector<bool>> sees(S); sees[0].resize(S);", "sees[t][s] = open;"), "");
    EXPECT_EQ(told("", "row[s] = 1;"), "");
}

TEST(CausesOfCrashes, AMemberWithoutElementsIsTold) {
    const auto told = [](const std::string& declared) {
        verdict::Failure failure;
        failure.message = "your to_int8 crashed: SIGSEGV (it touched memory that is not its own)";
        failure.at = verdict::SourceLine{"small_numbers.cpp", 3, "rows.codes[i] = 1;"};
        const std::vector<build::SourceFile> files = {
            {"small_numbers.cpp",
             "Int8Rows to_int8(Index i) {\n" + declared + "\nrows.codes[i] = 1;\nreturn rows;\n}\n"}};
        tell_of_a_vector_without_elements(failure, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_EQ(told("Int8Rows rows; rows.shape = s;"),
              "rows.codes has no elements: line 2 declares what it belongs to, and nothing gives it any. First "
              "rows.codes.resize(…), or rows.codes.push_back(…) for each.");
    EXPECT_EQ(told("Int8Rows rows; rows.codes.resize(i);"), "");
    EXPECT_EQ(told("Int8Rows rows; rows.codes = other;"), "");
    EXPECT_EQ(told("Int8Rows rows = made(i);"), "");
    EXPECT_EQ(told("Int8Rows rows; fill(rows);"), "");
    EXPECT_EQ(told("Int8Rows rows; rows.fill(i);"), "");
    EXPECT_EQ(told("struct Rows { float codes[4]; }; Rows rows;"), "");
    EXPECT_NE(told("struct Rows { std::vector<float> codes; }; Rows rows;"), "");
}

TEST(CausesOfCrashes, OneLessThanTheSizeOfAnEmptyListIsTold) {
    const auto told = [](const std::string& head) {
        verdict::Failure failure;
        failure.message = "your global_mask crashed: SIGSEGV (it touched memory that is not its own)";
        failure.at = verdict::SourceLine{"long_texts.cpp", 3, "if (sorted[i] != sorted[i + 1]) g();"};
        const std::vector<build::SourceFile> files = {
            {"long_texts.cpp", "void once(List sorted) {\n" + head + "\nif (sorted[i] != sorted[i + 1]) g();\n}\n"}};
        tell_what_one_less_than_none_is(failure, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_THAT(told("for (std::size_t i = 0; i < sorted.size() - 1; i++)"),
                HasSubstr("Where sorted is empty, sorted.size() - 1 (line 2) is a huge number"));
    EXPECT_EQ(told("for (std::size_t i = 0; i + 1 < sorted.size(); i++)"), "");
}

TEST(CausesOfCrashes, AVectorWithoutElementsThatIsMadeATensorIsToldToo) {
    const auto told = [](const std::string& message) {
        verdict::Failure failure;
        failure.message = message;
        failure.kind = FailureKind::exception;
        failure.at = verdict::SourceLine{"grouped.cpp", 4, "return Tensor::of({D}, pooled);"};
        const std::vector<build::SourceFile> files = {
            {"grouped.cpp",
             "Tensor pool(Index D) {\nstd::vector<float> pooled; pooled.reserve(D);\n"
             "for (Index i = 0; i < D; ++i) pooled[i] = 1;\nreturn Tensor::of({D}, pooled);\n}\n"}};
        tell_of_a_vector_without_elements(failure, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_THAT(told("your pool threw std::invalid_argument: Tensor::of: shape (7) needs 7 values, not 0"),
                HasSubstr("pooled has no elements: line 2 makes it without any"));
    EXPECT_EQ(told("your pool threw std::invalid_argument: Tensor::of: shape (7) needs 7 values, not 3"), "");
}

/// Text that no compiler reads is read here, and each of many tests asks for each line of its way.
TEST(CausesOfCrashes, MasksWithoutEndTakeNoLongTime) {
    constexpr int ways = 400, calls = 16;
    std::string text = "int deep(int n) {\n#if 0\n";
    for (int i = 0; i < 1000; ++i) text += "*p" + std::to_string(i) + "=mask.data();";
    text += "\n#endif\n";
    std::vector<verdict::SourceLine> callers;
    for (int line = 5; line < 5 + calls; ++line) {
        text += "if (n == " + std::to_string(line) + ") return deep(n - 1);\n";
        callers.push_back({"deep.cpp", line, ""});
    }
    const std::vector<build::SourceFile> files = {{"deep.cpp", text + "}\n"}};
    const ReadSources sources(files);
    ASSERT_TRUE(sources.lines().function_around(callers.front())) << "or nothing of it is read";
    const std::clock_t begin = std::clock();  // of this process: others may keep it waiting
    for (int way = 0; way < ways; ++way) {
        verdict::Failure failure;
        failure.message = "your whole crashed: SIGSEGV (it touched memory that is not its own)";
        failure.at = callers.front();
        tell_of_a_mask_that_is_not_given(failure, callers, sources);
        EXPECT_FALSE(failure.advice);
    }
    EXPECT_LT(std::clock() - begin, 2 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace headway::cli
