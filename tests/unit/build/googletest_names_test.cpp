// What is said where a name of GoogleTest's hides one of the student's, and where arguments of its macros have commas.
#include "build/own_messages.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace headway::build {
namespace {

using testing::HasSubstr;

const NamesForStudent names{"06_catch_the_bug", "exercises/06_catch_the_bug", "/course/", "/desk/"};

std::vector<verdict::CompilerMessage> errors(const std::string& words, const std::string& source) {
    return own_messages(Severity::error, words, {{"a.cpp", source}}, names);
}

TEST(NamesOfGoogleTest, AreToldAtEachLineThatTheyMakeWrong) {
    const auto told = errors(
        "./a.cpp:1:1: error: ‘virtual testing::Test::Setup_should_be_spelled_SetUp* testing::Test::Setup()’ is private "
        "within this context\n"
        "./a.cpp:1:7: error: expected ‘;’ before ‘s’\n"
        "./a.cpp:1:1: error: invalid use of non-static member function ‘virtual "
        "testing::Test::Setup_should_be_spelled_SetUp* testing::Test::Setup()’\n"
        "./a.cpp:2:1: error: no matching function for call to ‘Weights_Are_Test::Setup(int)’\n"
        "./a.cpp:3:1: error: no matching function for call to ‘expect(int)’\n",
        "Setup s;\nSetup(3).check();\nexpect(3);\n");
    ASSERT_EQ(told.size(), 5U);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(told[i].advice,
                  "Inside a TEST, Setup is a function of GoogleTest's own, which hides all else of that name: give "
                  "your Setup another name.")
            << i;
    EXPECT_THAT(told[4].advice, HasSubstr("How many arguments"));
    EXPECT_THAT(errors("./a.cpp:1:1: error: 'Run' is a private member of 'testing::Test'\n", "Run(3);\n")[0].advice,
                HasSubstr("Inside a TEST, Run is"));
    EXPECT_THAT(errors("./a.cpp:1:1: error: ‘int Own::rows()’ is private within this context\n", "rows();\n")[0].advice,
                HasSubstr("only functions of its own class"));
}

TEST(NamesOfGoogleTest, CommasInBracketsPartItsArguments) {
    const auto advice = [](const std::string& words, const std::string& line) {
        return errors("./a.cpp:1:1: error: " + words + "\n", line + "\n")[0].advice;
    };
    const std::string gcc = "macro \"EXPECT_EQ\" passed 5 arguments, but takes just 2",
                      clang = "too many arguments provided to function-like macro invocation";
    for (const std::string& words : {gcc, clang, std::string("‘EXPECT_EQ’ was not declared in this scope")}) {
        EXPECT_THAT(advice(words, "EXPECT_EQ(out.weights[0, 0, 0, 2], 0);"), HasSubstr("in round brackets: x(i, j)"));
        EXPECT_THAT(advice(words, "EXPECT_EQ(x.shape(), Shape{2, 3});"),
                    HasSubstr("EXPECT_EQ(x.shape(), (Shape{2, 3}"));
    }
    EXPECT_THAT(advice("cannot convert ‘headway::Tensor’ to ‘float’", "float f = x[0, 1];"),
                HasSubstr("of x[i, j] the last alone"));
    EXPECT_THAT(advice("cannot convert ‘headway::Tensor’ to ‘float’", "float f = x[0][1];"),
                HasSubstr("x[i][j] is a Tensor still"));
}

TEST(ArgumentsOfNear, AreNumbers) {
    const auto advice = [](const std::string& words, const std::string& line) {
        return errors("./a.cpp:1:1: error: " + words + "\n", line + "\n")[0].advice;
    };
    const std::string line = "ASSERT_NEAR(out.weights, right.weights, 2e-4);";
    for (const char* words : {"cannot convert ‘const headway::Tensor’ to ‘double’",
                              "cannot convert ‘const std::vector<double>’ to ‘double’",
                              "no viable conversion from 'const headway::Tensor' to 'double'"})
        EXPECT_EQ(advice(words, line),
                  "ASSERT_NEAR compares two numbers: where a Tensor or a std::vector stands, go through its elements, "
                  "as in ASSERT_NEAR(x(i, j), v[n], 1e-4).")
            << words;
    EXPECT_THAT(advice("cannot convert ‘headway::Tensor’ to ‘double’", "EXPECT_NEAR(out.weights[0][1], 1, 1e-4);"),
                HasSubstr("x[i][j] is a Tensor still"));
}

TEST(HeadsOfLoops, AreSaidToLackSemicolonsWhereTheyDo) {
    const auto advice = [](const std::string& words, const std::string& line) {
        return errors("./a.cpp:1:1: error: " + words + "\n", line + "\n")[0].advice;
    };
    const std::string missing = "expected ‘;’ before ‘)’ token";
    EXPECT_THAT(advice(missing, "for (std::size_t i = 0, i < n, ++i) f(i);"), HasSubstr("parted by semicolons"));
    for (const char* right : {"for (Index i = 0, j = 0, n = 3; i < n; ++i) f(i, j)", "for (Index i : {1, 2, 3}) f(i)",
                              "for (std::uint64_t seed : {1, 2, 3}) f(seed)"})
        EXPECT_THAT(advice(missing, right), testing::Not(HasSubstr("parted by semicolons"))) << right;
    EXPECT_THAT(advice("‘in’ was not declared in this scope", "for (Index b = 0; b < in.query.size(0); ++b) {"),
                testing::Not(HasSubstr("C++ counts with")));
    EXPECT_THAT(advice("expected ‘(’ before ‘x’", "for (Index i = 0; i < n; ++i) if x[i] > 0) f(i);"),
                HasSubstr("The condition of if"));
}

}  // namespace
}  // namespace headway::build
