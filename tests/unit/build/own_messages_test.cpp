// What compilers say is partly written by the submission: only what was handed in is shown, and nothing runs without
// end.
#include "build/own_messages.hpp"

#include <gmock/gmock.h>

#include <chrono>

namespace headway::build {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using verdict::CompilerMessage;

const NamesForStudent names{"01_single_head", "exercises/01_single_head", "/course/", "/desk/"};
const std::vector<SourceFile> files{{"single_head.cpp", "#include \"single_head.hpp\"\n\n\tint x = y;  // √\nint y;\n"},
                                    {"parts/rows.hpp", "int one();\r\n#define ROW one(1\r\n"}};

std::vector<CompilerMessage> errors(const std::string& output) {
    return own_messages(Severity::error, output, files, names);
}

/// "FILE:LINE:COLUMN TEXT" of each error.
std::vector<std::string> places(const std::string& output) {
    std::vector<std::string> told;
    for (const CompilerMessage& one : errors(output))
        told.push_back(one.at.file + ":" + std::to_string(one.at.line) + ":" + std::to_string(one.column) + " " +
                       one.text);
    return told;
}

TEST(OwnMessages, MarksStandBelowTheLineWithoutItsIndent) {
    for (const char* quoted : {"    3 |         int x = y;  // √\n      |                 ^\n",  // g++ draws tabs
                               "    3 |  int x = y;  // √\n      |          ^\n",                // g++ 10 does not
                               "        int x = y;  // √\n                ^\n"}) {               // clang++
        const auto told =
            errors("./single_head.cpp:3:17: error: 'y' was not declared in this scope\n" + std::string(quoted));
        ASSERT_EQ(told.size(), 1U);
        EXPECT_EQ(told[0].at.text, "int x = y;  // √");
        EXPECT_EQ(told[0].marks, "        ^") << quoted;
        EXPECT_EQ(told[0].column, 10);
    }
}

TEST(OwnMessages, WhatIsQuotedCountsOnlyIfItStandsThere) {
    const auto told = errors("single_head.cpp:3:2: error: bad\n    3 | root:x:0:0\n      | ^~~~\n");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].at.text, "int x = y;  // √");
    EXPECT_EQ(told[0].marks, "");
}

TEST(OwnMessages, NamesThatWereNotHandedInShowNothing) {
    // #line 7 "other.cpp", # 1 "/etc/passwd", and names that look like those of the submission.
    for (const char* name : {"other.cpp", "/etc/passwd", "../single_head.cpp", "/desk/src/single_head.cpp", "rows.hpp",
                             "\x1b[31msingle_head.cpp", "", ".", "single_head.cpp:3", "<command-line>"})
        EXPECT_THAT(places(std::string(name) + ":3:2: error: bad\n    3 | root:x:0:0\n      | ^\n"), IsEmpty()) << name;
}

TEST(OwnMessages, LinesThatDoNotExistShowNothing) {
    for (const char* line : {"0", "5", "-1", "99999999999999999999", "2147483647", "+3", "0x3"})
        EXPECT_THAT(places("single_head.cpp:" + std::string(line) + ":1: error: bad\n"), IsEmpty()) << line;
    EXPECT_THAT(places("single_head.cpp:3:99999999999999999999: error: bad\n"), ElementsAre("single_head.cpp:3:0 bad"));
    EXPECT_THAT(places("single_head.cpp:3:2147483647: error: bad\n"), ElementsAre("single_head.cpp:3:0 bad"));
}

TEST(OwnMessages, TheWordsOfAnErrorDirectiveAreNoMessagesOfTheirOwn) {
    const auto told = errors(
        "single_head.cpp:3:2: error: #error other.cpp:1:1: error: \x1b]0;x\x07 ::error file=x::y \xff ‘\n"
        "single_head.cpp:4:1: note: single_head.cpp:1:1: error: z\n");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].at.line, 3);
    EXPECT_THAT(told[0].text, HasSubstr("::error file=x::y \xff '"));  // views escape it, as all of a verdict
}

TEST(OwnMessages, AnErrorWithinATemplateIsToldWhereItWasAskedFor) {
    const std::string library = "/usr/include/c++/12/bits/predefined_ops.h";
    EXPECT_THAT(places("In file included from ./single_head.cpp:1:\n" + library +
                       ": In instantiation of ‘bool f()’:\n" + library + ":1908:29:   required from ‘void g()’\n" +
                       "./single_head.cpp:4:5:   required from here\n" + library + ":45:23: error: no match\n"),
                ElementsAre("single_head.cpp:4:5 no match"));
    EXPECT_THAT(places(library + ":45:23: error: invalid operands\n" + library +
                       ":9:1: note: in instantiation of function template 'g' requested here\n"
                       "./single_head.cpp:4:5: note: in instantiation of function template 'h' requested here\n"),
                ElementsAre("single_head.cpp:4:5 invalid operands"));
    EXPECT_THAT(
        errors(library + ":1:1: error: x\n./single_head.cpp:4:1: note: in instantiation of 'h' requested here\n")
            .at(0)
            .advice,
        HasSubstr("within code of a library"));
}

TEST(OwnMessages, EachErrorOfATemplateIsToldWhereItWasAskedFor) {
    const std::string library = "/course/tensor/include/headway/tensor.hpp";
    const std::string two_by_gcc = library +
                                   ": In instantiation of ‘bool f()’:\n./single_head.cpp:4:5:   required from here\n" +
                                   library + ":73:25: error: invalid\n" + library + ":73:23: error: cannot convert\n";
    EXPECT_THAT(places(two_by_gcc), ElementsAre("single_head.cpp:4:5 invalid", "single_head.cpp:4:5 cannot convert"));
    EXPECT_THAT(places(two_by_gcc + library + ": In function ‘void g()’:\n" + library + ":9:1: error: another\n"),
                testing::SizeIs(2));
    const std::string asked = ":5: note: in instantiation of function template 'g' requested here\n";
    EXPECT_THAT(places(library + ":7:2: error: a\n./single_head.cpp:3" + asked + library + ":7:2: error: b\n" +
                       library + ":7:2: error: c\n./single_head.cpp:4" + asked),
                ElementsAre("single_head.cpp:3:0 a", "single_head.cpp:3:0 b", "single_head.cpp:4:5 c"))
        << "line 3 is shorter";
}

TEST(OwnMessages, AnErrorInTheCoursesHeaderIsToldWhereItIsIncluded) {
    EXPECT_THAT(
        places("In file included from ./single_head.cpp:1:\n/course/exercises/01/single_head.hpp:9:1: error: x\n"),
        ElementsAre("single_head.cpp:1:0 x"));
    EXPECT_THAT(places("In file included from /usr/include/a.hpp:3,\n                 from ./single_head.cpp:1:\n"
                       "/usr/include/b.hpp:9:1: error: x\n"),
                ElementsAre("single_head.cpp:1:0 x"));
}

TEST(OwnMessages, AnIncludedFileOfOnesOwnIsOnesOwn) {
    EXPECT_THAT(places("In file included from ./single_head.cpp:1:\n./parts/../parts/rows.hpp:2:17: error: x\n"),
                ElementsAre("parts/rows.hpp:2:17 x"));
}

TEST(OwnMessages, AMacroOfTheLibrarysIsToldWhereItIsUsed) {
    EXPECT_THAT(
        places("/usr/include/assert.h:9:1: error: x\n./single_head.cpp:4:5: note: in expansion of macro ‘assert’\n"),
        ElementsAre("single_head.cpp:4:5 x"));
}

TEST(OwnMessages, NotesAreOfOnesOwnLinesOrTheCoursesDeclarations) {
    const auto told = errors(
        "single_head.cpp:3:2: error: no matching function\n"
        "/course/tensor/include/headway/tensor.hpp:9:8: note: candidate: ‘headway::Tensor headway::ops::sum(int)’\n"
        "/course/tensor/include/headway/tensor.hpp:9:8: note:   candidate expects 1 argument, 2 provided\n"
        "/usr/include/c++/12/bits/x.h:9:8: note: candidate: ‘template<class _Tp> std::sum’\n"
        "/home/somebody/x.hpp:1:1: note: secret\n"
        "single_head.cpp:4:5: note: ‘y’ declared here\n");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0].notes, ElementsAre("candidate: 'Tensor sum(int)'; candidate expects 1 argument, 2 provided",
                                           "'y' declared here: int y;"));
}

TEST(OwnMessages, WhatIsSaidTwiceIsToldOnceAndAFloodIsCutOff) {
    std::string output;
    for (int i = 0; i < 1000; ++i) output += "single_head.cpp:3:2: error: bad\n";
    EXPECT_EQ(errors(output).size(), 1U);
    for (int i = 0; i < 1000; ++i) output += "single_head.cpp:3:2: error: bad " + std::to_string(i) + "\n";
    EXPECT_EQ(errors(output).size(), 20U);
}

TEST(OwnMessages, AFileOfOneLongLineTakesNoLongTime) {
    const std::vector<SourceFile> long_line{{"a.cpp", std::string(1 << 22, ' ') + "x"}};
    std::string output;
    for (int i = 0; i < 1000; ++i) output += "a.cpp:1:4000000: error: bad\n    1 |     x\n      | ^\n";
    EXPECT_EQ(own_messages(Severity::error, output, long_line, names).size(), 1U);
}

TEST(OwnMessages, WarningsAreNoErrors) {
    const std::string output =
        "single_head.cpp:3:2: warning: ‘y’ is used uninitialized [-Wuninitialized]\n"
        "/usr/include/x.hpp:3:2: warning: not the student's\n";
    EXPECT_THAT(errors(output), IsEmpty());
    const auto told = own_messages(Severity::warning, output, files, names);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].text, "'y' is used uninitialized [-Wuninitialized]");
    EXPECT_THAT(told[0].advice, HasSubstr("no value yet"));
}

TEST(OwnMessages, ACounterOfEightBitsNeverPasses127) {
    const auto told = [](const std::string& line) {
        return own_messages(Severity::warning,
                            "a.cpp:1:1: warning: comparison is always true due to limited range of data type\n",
                            {{"a.cpp", line + "\n"}}, names)
            .at(0)
            .advice;
    };
    EXPECT_THAT(told("for (std::int8_t code = -127; code <= 127; ++code) {"), HasSubstr("Count with int"));
    EXPECT_THAT(told("while (code <= 127) ++code;"), testing::Not(HasSubstr("Count with int")));
}

TEST(OwnMessages, WhateverIsPrintedIsHarmless) {
    for (const std::string& output :
         {std::string(1 << 16, '\n'), std::string(1 << 16, ':'), std::string(1 << 16, '1'), std::string("| ^\n 1 | \n"),
          std::string("note: x\n"), "single_head.cpp:3:1: note: first\n" + std::string(1 << 16, '^'),
          "single_head.cpp:3:1:" + std::string(1 << 16, ' ') + "required from here\n"})
        EXPECT_THAT(errors(output), IsEmpty());
    const std::string marks = "single_head.cpp:3:1: error: x\n        int x = y;  // √\n" + std::string(1 << 16, '^');
    ASSERT_EQ(errors(marks).size(), 1U);
    EXPECT_LE(errors(marks)[0].marks.size(), 20U);
}

TEST(OwnMessages, ATensorAddedToANumberIsToldItsRoundBrackets) {
    const auto advice = [](const std::string& line) {
        const std::vector<SourceFile> own{{"sums.cpp", line + "\n"}};
        return own_messages(Severity::error,
                            "./sums.cpp:1:7: error: no match for ‘operator+=’ (operand types are ‘float’ and "
                            "‘headway::Tensor’)\n",
                            own, names)
            .at(0)
            .advice;
    };
    EXPECT_THAT(advice("total += weights[b][h][t][s];"), HasSubstr("One number is in round brackets: x(i, j)."));
    EXPECT_THAT(advice("total += row;"), HasSubstr("What stands on the left is a number, and on the right a Tensor."));
}

/// A function of this inside whose line 4 is `changed`, and what g++ says of it, marks included.
CompilerMessage change_of_const(const std::string& declared, const std::string& changed, const std::string& words) {
    const std::vector<SourceFile> own{
        {"a.cpp", "Mask f(const Mask& given) {\n    " + declared + "\n    for (;;)\n        " + changed + "\n}\n"}};
    const auto told = own_messages(Severity::error, words, own, names);
    return told.empty() ? CompilerMessage{} : told.front();
}

TEST(OwnMessages, WhatIsConstIsToldWhereItIsDeclared) {
    const std::string words =
        "a.cpp:4:22: error: lvalue required as left operand of assignment\n"
        "    4 |         if (t > s) mask(t, s) = true;\n      |                    ~~~~^~~~~~\n";
    const auto advice = [&](const std::string& declared) {
        return change_of_const(declared, "if (t > s) mask(t, s) = true;", words).advice;
    };
    EXPECT_EQ(advice("const Mask mask = Mask::allow_all({T, S});"), "mask is const (line 2): leave out const there.");
    EXPECT_EQ(advice("const headway::Mask mask = headway::Mask::allow_all({T, S});"),
              "mask is const (line 2): leave out const there, if it is yours to change.");
    EXPECT_EQ(advice("auto const mask = given;"),
              "mask is const (line 2): leave out const there, if it is yours to change.");
    for (const char* other : {"const Mask& mask = given;", "Mask mask = given;", "{ const Mask mask = given; }",
                              "const Mask more = given, mask = given;", "auto g = [](const Mask mask) { };"})
        EXPECT_THAT(advice(other), testing::StartsWith("What is left of = cannot be changed")) << other;
    EXPECT_THAT(change_of_const("const Mask mask = Mask::of({1}, {1});", "if (mask(0) = true) ;",
                                "a.cpp:4:17: error: lvalue required as left operand of assignment\n"
                                "    4 |         if (mask(0) = true) ;\n      |             ~~~~^~~\n")
                    .advice,
                testing::EndsWith("leave out const there. To compare, write ==."));
}

TEST(OwnMessages, OfNumbersOfTwoTypesTheOneToChangeIsTold) {
    const auto advice = [](const std::string& call, const std::string& named) {
        const std::string line = "const float y = " + call + ";";
        const auto told =
            own_messages(Severity::error,
                         "./single_head.cpp:1:17: error: no matching function for call to " + named + "\n    " + line,
                         {{"single_head.cpp", line + "\n"}}, names);
        return told.size() == 1 ? told[0].advice : "";
    };
    const std::string by_ints = "std::clamp(std::nearbyint(x), -127, 127)";
    EXPECT_THAT(advice(by_ints, "‘clamp(float, int, int)’"),
                HasSubstr("so must the bounds be, as in std::clamp(x, -127.0F"));
    EXPECT_THAT(advice(by_ints, "‘clamp(double, int, int)’"), HasSubstr("std::clamp(x, -127.0, 127.0)"));
    EXPECT_THAT(advice("std::clamp(i, 0, n)", "‘clamp(int&, int, const headway::Index&)’"), HasSubstr("all Index"));
    EXPECT_THAT(advice(by_ints, "'clamp'"), HasSubstr("or all float"));  // clang++
    for (const char* named : {"‘max(float, int)’", "‘max(int, const float&)’", "‘max(float&, headway::Index&)’",
                              "‘max(const long unsigned int&, float)’"})
        EXPECT_THAT(advice("std::max(a, b)", named), HasSubstr("make both float, as in std::max(x, 1.0F)")) << named;
    EXPECT_THAT(advice("std::min(a, b)", "‘min(double, int)’"), HasSubstr("make both double, as in std::min(x, 1.0)"));
    EXPECT_THAT(advice("std::min(a, b)", "‘min(double, float)’"), HasSubstr("1.0F is a float, 1.0 a double"));
    EXPECT_THAT(advice("std::min(a, b)", "‘min(headway::Index, int)’"), HasSubstr("make both Index"));
    for (const char* named : {"'min'", "‘min(headway::Tensor&, float)’", "‘min(float, float, int)’"})
        EXPECT_THAT(advice("std::min(a, b)", named), HasSubstr("both Index, as in std::min(n, Index{1}), or both"));
}

TEST(OwnMessages, OfAnAssignmentToWhatIsConstTheLeftSideIsMarked) {
    const CompilerMessage told = change_of_const(
        "", "if (x) running.gathered /= running.total;",
        "a.cpp:4:44: error: passing ‘const headway::Tensor’ as ‘this’ argument discards qualifiers [-fpermissive]\n"
        "    4 |         if (x) running.gathered /= running.total;\n"
        "      |                                            ^~~~~\n"
        "/course/tensor.hpp:116:13: note:   in call to ‘headway::Tensor& headway::Tensor::operator/=(const "
        "headway::Tensor&)’\n");
    EXPECT_EQ(told.marks, "       ^~~~~~~~~~~~~~~~");
    EXPECT_EQ(told.column, 16);
    EXPECT_THAT(told.advice, testing::StartsWith("It is const: you may read it"));
}

TEST(OwnMessages, AnElementOfAListIsNamedByItsType) {
    const std::string element = "const __gnu_cxx::__alloc_traits<std::allocator<long int>, long int>::value_type&";
    const auto told = errors("single_head.cpp:4:1: error: no matching function for call to ‘swap(" + element + ", " +
                             element + ")’\n");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].text, "no matching function for call to 'swap(const long int&, const long int&)'");
}

TEST(OwnMessages, TensorsAreExpectedToBeEqualNumberByNumber) {
    const std::string line = "EXPECT_EQ(first.output, again.output);";
    for (const char* words :
         {"no match for ‘operator==’ (operand types are ‘const headway::Tensor’ and ‘const "
          "headway::Tensor’)",
          "invalid operands to binary expression ('const headway::Tensor' and 'const headway::Tensor')"}) {
        const auto told = own_messages(Severity::error, "./a.cpp:1:5: error: " + std::string(words) + "\n",
                                       {{"a.cpp", line + "\n"}}, names);
        ASSERT_EQ(told.size(), 1U);
        EXPECT_THAT(told[0].advice, HasSubstr("by one index per axis: EXPECT_EQ(a(i, j), b(i, j)).")) << words;
    }
}

TEST(OwnMessages, AnElementThatIsExpectedHasRoundBrackets) {
    for (const char* words : {"no match for ‘operator==’ (operand types are ‘const headway::Tensor’ and ‘const int’)",
                              "invalid operands to binary expression ('const headway::Tensor' and 'const int')"}) {
        const auto told = own_messages(Severity::error, "./a.cpp:1:5: error: " + std::string(words) + "\n",
                                       {{"a.cpp", "EXPECT_EQ(out.weights[0][0][0][2], 0);\n"}}, names);
        ASSERT_EQ(told.size(), 1U);
        EXPECT_THAT(told[0].advice, HasSubstr("in round brackets: x(i, j)")) << words;
    }
}

TEST(OwnMessages, ALoopOverAListHasNoParts) {
    const auto told = own_messages(
        Severity::error, "./a.cpp:1:45: error: no matching function for call to ‘Setup::Setup(unsigned long&)’\n",
        {{"a.cpp", "for (std::uint64_t seed : {1, 2, 3}) Setup(seed).check();\n"}}, names);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0].advice, testing::Not(HasSubstr("semicolons")));
}

TEST(OwnMessages, WhatIsDeclaredInALineWithAnErrorIsNotSaidToBeUnknown) {
    const auto advice = [](const std::string& declaration, const std::string& between, const std::string& words) {
        const std::vector<SourceFile> own{
            {"a.cpp", "void f(Tensor a) {\n" + declaration + "\n" + between + "\nuse(s);\n}\n"}};
        const auto told = own_messages(
            Severity::error,
            "./a.cpp:2:5: error: " + words + "\n./a.cpp:4:5: error: ‘s’ was not declared in this scope\n", own, names);
        return told.size() == 2 ? told[0].advice + "|" + told[1].advice : "";
    };
    const std::string of_cos = "cannot convert ‘const headway::Tensor’ to ‘double’";
    for (const char* declaration : {"const Tensor c = turned(cos(a)), s = turned(sin(a));", "Tensor s = cos(a);"})
        EXPECT_EQ(
            advice(declaration, "", of_cos),
            "cos is for one number, and this is a Tensor: go through its elements.|s is declared in line 2, which "
            "has an error itself: mend that one first.");
    for (const char* other : {"Tensor c = cos(a, s = 1);", "c = cos(a) * s;", "return s(cos(a));"})
        EXPECT_THAT(advice(other, "", of_cos), HasSubstr("|Nothing is called s here")) << other;
    EXPECT_THAT(advice("Tensor s = cos(a);", "}  void g() {", of_cos), HasSubstr("|Nothing is called s here"));
    EXPECT_THAT(advice("h(a), s(a);", "", "‘s’ was not declared in this scope"),
                HasSubstr("|Nothing is called s here"));
}

TEST(OwnMessages, AListHasNoArithmetic) {
    const std::vector<SourceFile> own{{"kv_cache.cpp", "cache.lengths += counts;\n"}};
    for (const char* words :
         {"no match for ‘operator+=’ (operand types are ‘std::vector<long int>’ and ‘const std::vector<long int>’)",
          "no match for ‘operator*’ (operand types are ‘const std::vector<float>’ and ‘float’)",
          "invalid operands to binary expression ('std::vector<Index>' (aka 'vector<long>') and 'int')",
          "no viable overloaded '+='"}) {
        const auto told =
            own_messages(Severity::error, "./kv_cache.cpp:1:15: error: " + std::string(words) + "\n", own, names);
        ASSERT_EQ(told.size(), 1U);
        EXPECT_THAT(told[0].advice, HasSubstr("A std::vector has no arithmetic")) << words;
    }
}

}  // namespace
}  // namespace headway::build
