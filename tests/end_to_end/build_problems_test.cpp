// What keeps a submission from being built, in words.
#include "headway.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headway {
namespace {

using verdict::BuildProblem;

verdict::Compilation build_of(const std::string& exercise, const std::string& file, const std::string& text) {
    Desk desk;
    desk.write(exercise + "/" + file, text);
    const verdict::Exercise graded = desk.grade(exercise.substr(0, 2));
    EXPECT_EQ(graded.state, verdict::State::failed);
    EXPECT_EQ(graded.points, 0);
    return graded.build;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(BuildProblems, ACompileErrorNamesFileAndLine) {
    const auto build = build_of("01_single_head", "single_head.cpp",
                                "#include \"single_head.hpp\"\n\nint f() { return undeclared; }\n");
    EXPECT_EQ(build.problem, BuildProblem::compile_error);
    EXPECT_EQ(build.file, "single_head.cpp");
    EXPECT_EQ(build.line, 3);
    EXPECT_NE(build.message.find("./headway grade 01"), std::string::npos);
}

TEST(BuildProblems, ACompileErrorIsToldWithItsLineAndTheCoursesSentence) {
    const auto build = build_of("01_single_head", "single_head.cpp",
                                "#include \"single_head.hpp\"\n\nnamespace headway::ex01 {\n"
                                "Tensor softmax_rows(const Tensor& scores) {\n"
                                "    const Tensor max = max(scores, -1, KeepAxis::yes);\n"
                                "    return exp(scores - max);\n}\n}\n");
    ASSERT_TRUE(build.errors && !build.errors->empty());
    const verdict::CompilerMessage& error = build.errors->front();
    EXPECT_EQ(error.at.file, "single_head.cpp");
    EXPECT_EQ(error.at.line, 5);
    EXPECT_EQ(error.at.text, "const Tensor max = max(scores, -1, KeepAxis::yes);");
    EXPECT_NE(error.marks.find('^'), std::string::npos);
    EXPECT_NE(error.advice.find("hides the function max"), std::string::npos) << error.advice;
}

TEST(BuildProblems, WhereASourceClaimsToBeIsNotBelieved) {
    for (const char* claim :
         {"#line 7 \"other.cpp\"", "# 1 \"/etc/passwd\"", "#line 400", "#line 1 \"../single_head.cpp\""}) {
        const auto build =
            build_of("01_single_head", "single_head.cpp",
                     "#include \"single_head.hpp\"\n" + std::string(claim) + "\nint f() { return undeclared; }\n");
        EXPECT_EQ(build.problem, BuildProblem::compile_error);
        EXPECT_EQ(build.file, "single_head.cpp") << claim;
        EXPECT_EQ(build.line, 0) << claim;
        EXPECT_TRUE(build.errors && build.errors->empty()) << claim;
        EXPECT_EQ(build.diagnostics.find("root:"), std::string::npos) << claim;
    }
}

TEST(BuildProblems, WordsOfAnErrorDirectiveAreOnlyWords) {
    const auto build = build_of("01_single_head", "single_head.cpp",
                                "#include \"single_head.hpp\"\n#error other.cpp:1:1: error: \x1b[31m ::error::no\n");
    ASSERT_TRUE(build.errors && build.errors->size() == 1);
    EXPECT_EQ(build.errors->front().at.line, 2);
    EXPECT_EQ(build.errors->front().text.find('\x1b'), std::string::npos);
}

TEST(BuildProblems, AnErrorInAMacroOrAnIncludedFileIsToldThere) {
    Desk desk;
    desk.write("01_single_head/single_head.cpp", "#include \"mine.hpp\"\nint f() { return TWICE(1); }\n");
    desk.write("01_single_head/mine.hpp", "#define TWICE(x) ((x) * undeclared)\n");
    const auto build = desk.grade("01").build;
    ASSERT_TRUE(build.errors && !build.errors->empty());
    EXPECT_TRUE(build.file == "mine.hpp" || build.file == "single_head.cpp") << build.file;
    EXPECT_EQ(build.line, build.file == "mine.hpp" ? 1 : 2);
}

TEST(BuildProblems, WarningsAreToldAndCostNothing) {
    Desk desk;
    desk.write("01_single_head/single_head.cpp",
               single_head_with_softmax("for (std::size_t i = 0; i < scores.numel(); ++i) { }\n"
                                        "    return softmax_rows_of_the_solution(scores);"));
    const verdict::Exercise graded = desk.grade("01");
    EXPECT_EQ(graded.state, verdict::State::passed) << graded.build.message;
    EXPECT_EQ(graded.points, 10);
    ASSERT_TRUE(graded.build.warnings);
    ASSERT_EQ(graded.build.warnings->size(), 1U);
    EXPECT_NE(graded.build.warnings->front().at.text.find("i < scores.numel()"), std::string::npos);
    EXPECT_FALSE(graded.build.warnings->front().advice.empty());
}

TEST(BuildProblems, OfARightProgramNothingIsWarned) {
    Desk desk;
    desk.write("01_single_head/single_head.cpp", solution("01_single_head/single_head.cpp"));
    EXPECT_FALSE(desk.grade("01").build.warnings);
}

TEST(BuildProblems, AMissingFunctionIsNamed) {
    const auto build = build_of("02_head_splitting", "head_splitting.cpp", "#include \"head_splitting.hpp\"\n");
    EXPECT_EQ(build.problem, BuildProblem::missing_definition);
    EXPECT_NE(build.message.find("declared in the header"), std::string::npos);
}

TEST(BuildProblems, AnotherSignatureIsNamed) {
    const auto build = build_of("03_scaled_scores", "scaled_scores.cpp",
                                replaced(solution("03_scaled_scores/scaled_scores.cpp"),
                                         "Mask causal_mask(Index T, Index S) {", "Mask causal_mask(int T, int S) {"));
    EXPECT_EQ(build.problem, BuildProblem::wrong_signature);
    EXPECT_NE(build.message.find("causal_mask(int, int)"), std::string::npos) << build.message;
}

TEST(BuildProblems, WhatTheExerciseAsksForIsNotAvailable) {
    const std::string before =
        "#define view other_view\n" + solution("02_head_splitting/head_splitting.cpp") +
        "\n#undef view\nnamespace headway::ex02 { Tensor view(const Tensor& x, const Shape& shape);\n"
        "Tensor view(const Tensor& x, const Shape& shape) {\n";
    const auto build = build_of("02_head_splitting", "head_splitting.cpp", before + "return x.view(shape);\n} }\n");
    EXPECT_EQ(build.problem, BuildProblem::not_available) << build.message << build.diagnostics;
    EXPECT_NE(build.message.find("is not available in exercise 02"), std::string::npos);
    EXPECT_EQ(build.line, std::ranges::count(before, '\n') + 1) << "the call, not the function of that name";
}

TEST(BuildProblems, AMainIsSaidInWords) {
    const auto build =
        build_of("01_single_head", "single_head.cpp", solution("01_single_head/single_head.cpp") + "\nint main() {}\n");
    EXPECT_EQ(build.problem, BuildProblem::has_main) << build.message;
}

TEST(BuildProblems, ATemplateBombEndsInTime) {
    const auto build =
        build_of("01_single_head", "single_head.cpp",
                 "template <int N> struct A { static constexpr long v = A<N - 1>::v + A<N - 2>::v + A<N - 3>::v; };\n"
                 "template <class T> struct B : B<T*> {}; B<int> b;\n");
    EXPECT_NE(build.problem, BuildProblem::none);
    EXPECT_LE(build.diagnostics.size(), 64U << 10U);
}

TEST(BuildProblems, IncludingDevZeroEnds) {
    const auto build = build_of("01_single_head", "single_head.cpp", "#include \"/dev/zero\"\n");
    EXPECT_NE(build.problem, BuildProblem::none);
}

TEST(BuildProblems, AnEmptyFolderIsSaid) {
    EXPECT_EQ(build_of("01_single_head", "notes.txt", "later").problem, BuildProblem::no_source);
}

TEST(BuildProblems, TheSubmissionsOwnCopyOfAHeaderIsNotUsed) {
    Desk desk;
    desk.write("01_single_head/single_head.cpp", solution("01_single_head/single_head.cpp"));
    desk.write("01_single_head/single_head.hpp", "#error the submission's own header\n");
    desk.write("01_single_head/visible_test.cpp", "#error not compiled\n");
    EXPECT_EQ(desk.grade("01").state, verdict::State::passed);
}

TEST(BuildProblems, ExtraFilesOfTheStudentsAreUsed) {
    Desk desk;
    desk.write("01_single_head/single_head.cpp",
               single_head_with_softmax("return mine::softmax(scores);", "#include \"parts/mine.hpp\""));
    desk.write("01_single_head/parts/mine.hpp",
               "#pragma once\n#include <headway/tensor.hpp>\nnamespace mine { headway::Tensor softmax(const "
               "headway::Tensor&); }\n");
    desk.write(
        "01_single_head/parts/mine.cpp",
        "#include \"mine.hpp\"\nnamespace headway::ex01 { Tensor softmax_rows_of_the_solution(const Tensor&); }\n"
        "headway::Tensor mine::softmax(const headway::Tensor& x) { return "
        "headway::ex01::softmax_rows_of_the_solution(x); }\n");
    const auto exercise = desk.grade("01");
    EXPECT_EQ(exercise.state, verdict::State::passed) << exercise.build.message;
}

}  // namespace
}  // namespace headway
