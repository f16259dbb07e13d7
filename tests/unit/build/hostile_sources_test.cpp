// What is read for advice is read by the grader itself: no source and no message keeps it busy, whether it is short
// enough to be read or not.
#include "build/idle_statements.hpp"
#include "build/own_messages.hpp"
#include "build/source_lines.hpp"
#include "submission/words_of_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headway::build {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using verdict::CompilerMessage;

const NamesForStudent student{"01_single_head", "exercises/01_single_head", "/course/", "/desk/"};

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

/// A text for each number below `times`.
template <typename Text>
std::string numbered(int times, const Text& text) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text(std::to_string(i));
    return all;
}

/// Of this process, in seconds: others may keep it waiting. What these tests are about took minutes and hours.
class Stopwatch {
public:
    double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

private:
    std::clock_t begin_ = std::clock();
};

constexpr double most_seconds = 5;

std::vector<CompilerMessage> errors(const std::string& source, const std::string& output) {
    return own_messages(Severity::error, output, {{"a.cpp", source}}, student);
}

TEST(HostileSources, IdleStatementsOfAnyTextTakeNoLongTime) {
    const std::string skipped = "#if 0\nvoid g() { ";
    for (const std::string& body : {
             "f(0" + repeated(",x", 8000) + ");\n" + repeated("x[0];", 400),  // x may be declared anywhere
             repeated("x[0];", 3900), repeated("Tensor x;x[0];", 2400), repeated("exp(x);", 3900), repeated("x[", 6000),
             repeated("x[0]", 4800), repeated("(Tensor x)", 4000) + ";x[0];", "A<" + repeated("a,", 9000) + ";a[0];",
             repeated("{A<", 4000) + repeated(",a}", 2000) + ";a[0];",
             repeated("for(A<", 3000) + repeated(",a)", 1500) + ";a[0];",
             "const " + repeated("A::", 4000) + "A" + repeated(",a", 3000) + ";a[0];",
             repeated("x[0];", 400'000),  // too many to be read
         }) {
        const std::vector<SourceFile> files{{"a.cpp", skipped + body + "\n}\n#endif\n"}};
        const Stopwatch watch;
        idle_statements(files);
        EXPECT_LT(watch.seconds(), most_seconds) << body.substr(0, 20);
    }
}

TEST(HostileSources, ALineThatIsSaidToChangeWhatIsConstTakesNoLongTime) {
    for (const std::string& line :
         {repeated("swap(", 20'000), repeated("swap(", 240), repeated("swap(a, ", 120) + repeated("a, ", 60),
          repeated("sort(a);", 90), repeated("a;", 240), "swap(" + repeated("a,", 9000)}) {
        const std::string source =
            "#if 0\n" + repeated("a(x);", 3000) + "\n" + line + "\n" + repeated("(", 2000) + "\n#endif\n";
        for (const char* said : {"no matching function for call to 'swap(const x'",
                                 "assignment of read-only location "
                                 "'(& a)->x'"}) {
            const std::string output = numbered(
                20, [&](const std::string& i) { return "a.cpp:3:1: error: " + std::string(said) + " " + i + "\n"; });
            const Stopwatch watch;
            EXPECT_EQ(errors(source, output).size(), 20U);
            EXPECT_LT(watch.seconds(), most_seconds) << line.substr(0, 20);
        }
    }
}

/// Lines that declare what later ones do not know: each pair is compared.
TEST(HostileSources, ErrorsInALongFileTakeNoLongTime) {
    std::string source = numbered(9, [](const std::string& i) { return "void f" + i + "() { int q = u, a = 0; }\n"; }) +
                         numbered(10, [](const std::string& i) { return "void g" + i + "() { a; }\n"; }) + "#if 0\n";
    std::string output;
    for (int line = 1; line <= 19; ++line)
        output += "a.cpp:" + std::to_string(line) + ":1: error: '" + (line < 10 ? "u" + std::to_string(line) : "a") +
                  "' was not declared in this scope\n";
    for (const std::size_t times : {std::size_t{9000}, std::size_t{500'000}}) {
        const std::string whole = source + repeated("a;", times) + "\n#endif\n";
        const Stopwatch watch;
        EXPECT_EQ(errors(whole, output).size(), 19U);
        EXPECT_LT(watch.seconds(), most_seconds) << times;
    }
}

/// g++ goes on with a sentence in lines of its own, and the assembler may print any number of them.
std::string message_that_goes_on(const std::string& severity, const std::string& begin, const std::string& more,
                                 std::size_t bytes) {
    const std::string line = "a.cpp:1: " + severity + ":   " + more + "\n";
    return "a.cpp:1: " + severity + ": " + begin + "\n" + repeated(line, bytes / line.size());
}

/// std::regex overflowed the stack in such a text.
TEST(HostileSources, AMessageThatGoesOnForEverIsCut) {
    for (const std::size_t bytes : {std::size_t{64} << 10U, std::size_t{128} << 10U})
        for (const std::string& more : {std::string(1900, 'x'), repeated("testing::Test::a(", 110)})
            for (const auto& [name, severity] :
                 {std::pair("error", Severity::error), std::pair("warning", Severity::warning)}) {
                const std::string output = message_that_goes_on(name, "testing::Test::a(", more, bytes) +
                                           "a.cpp:1: " + name + ": 'a' was not declared in this scope\n";
                const auto told = own_messages(severity, output, {{"a.cpp", "int a;\n"}}, student);
                ASSERT_EQ(told.size(), 2U);
                EXPECT_THAT(told[0].text, testing::StartsWith("testing::Test::a( " + more.substr(0, 100)));
                EXPECT_LT(told[0].text.size(), 2100U);
            }
}

TEST(HostileSources, ANoteThatGoesOnForEverIsCut) {
    const auto told = errors(
        "int a;\n", "a.cpp:1: error: bad\n" + message_that_goes_on("note", "declared", std::string(1900, 'x'), 60'000));
    ASSERT_EQ(told.size(), 1U);
    ASSERT_EQ(told[0].notes.size(), 1U);
    EXPECT_LT(told[0].notes[0].size(), 2100U);
}

/// Each is compared with those before it.
TEST(HostileSources, ManyMessagesThatGoOnTakeNoLongTime) {
    const std::string output = numbered(20, [](const std::string& i) {
        return message_that_goes_on("error", "bad " + i, repeated("testing::Test::a(", 110), 6000);
    });
    const Stopwatch watch;
    EXPECT_EQ(errors("int a;\n", output).size(), 20U);
    EXPECT_LT(watch.seconds(), most_seconds);
}

TEST(HostileSources, ALineOfCommasTakesNoLongTime) {
    const std::string source = repeated("#error for(" + std::string(185, ',') + "\n", 20);
    const std::string output =
        numbered(20, [](const std::string& i) { return "a.cpp:1:1: error: #error for " + i + "\n"; });
    const Stopwatch watch;
    EXPECT_EQ(errors(source, output).size(), 20U);
    EXPECT_LT(watch.seconds(), most_seconds);
}

/// A name in a source may be as long as the source.
TEST(HostileSources, LongNamesAreNotToldInAnAdvice) {
    const std::string long_name(100'000, 'x');
    const auto advice = [](const std::string& name) {
        const auto told = errors(
            "void f() {\n    auto& shape = " + name + ".shape();\n    shape[0] = 1;\n}\n",
            "a.cpp:3:5: error: assignment of read-only location '(& shape)->std::vector<long int>::operator[](0)'\n");
        return told.empty() ? "nothing is told" : told.front().advice;
    };
    EXPECT_THAT(advice("x"), HasSubstr("take a copy, Shape shape = x.shape();"));
    EXPECT_LT(advice(long_name).size(), 2100U);
    const auto idle = [](const std::string& name) {
        return idle_statements({{"a.cpp", "void f(Tensor& " + name + ") {\n    " + name + "[0] = 1;\n}\n"}});
    };
    EXPECT_EQ(idle("x").size(), 1U);
    EXPECT_THAT(idle(long_name), IsEmpty());
}

/// The assembler prints what a source wants.
TEST(HostileSources, ManyErrorsOfManyPlacesTakeNoLongTimeAndNoMemory) {
    for (const std::string& place : {std::string("a:1:   x\n"), repeated("b/../", 390) + ":1:   x\n"}) {
        const std::string output = repeated(place, 22'000 / place.size()) + repeated("a:1: error: \n", 3000);
        const Stopwatch watch;
        EXPECT_THAT(errors("int a;\n", output), IsEmpty());
        EXPECT_LT(watch.seconds(), most_seconds);
        std::size_t places = 0;
        for (const CompilerWords& one : compiler_words(output)) places += one.required_from.size();
        EXPECT_LE(places, 16U * 4000U);
    }
}

/// What names mean is kept of the first thousand alone.
TEST(HostileSources, NamesOfManyPartsTakeNoLongTime) {
    const std::string other_names = numbered(1000, [](const std::string& i) { return "n" + i + ":1: error: \n"; });
    const std::string output =
        other_names + repeated(repeated("a/", 990) + ":1:   x\n", 16) + repeated("a:1: error: \n", 1200);
    const Stopwatch watch;
    EXPECT_THAT(errors("int a;\n", output), IsEmpty());
    EXPECT_LT(watch.seconds(), most_seconds / 2);
}

TEST(HostileSources, OfALongWayTheOutermostPlaceIsKept) {
    const std::string library = "/usr/include/x.hpp:1:1:   required from 'f'\n";
    const auto told = errors("int a;\n", repeated(library, 100) + "a.cpp:1:1:   required from here\n" +
                                             "/usr/include/x.hpp:1:1: error: bad\n");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].at.line, 1);
}

TEST(HostileSources, FunctionsWithManyLoopsTakeNoLongTime) {
    const std::string source =
        "void f(Index n) {\n" + repeated("while (a + b + c + d + e + f + g + h)\n", 500) + "f();}\n";
    std::string printed;
    std::vector<WayToThrow> ways;
    for (int way = 0; way < 16; ++way) {
        ways.emplace_back();
        for (int i = 0; i < 16; ++i) {
            const int number = 16 * way + i + 1;
            ways.back().push_back(number);
            char address[16];
            std::snprintf(address, sizeof(address), "0x%x", static_cast<unsigned>(number));
            printed += std::string(address) + "\nf()\na.cpp:" + std::to_string(200 + number) + "\n";
        }
    }
    const std::vector<SourceFile> files{{"a.cpp", source}};
#ifdef HEADWAY_ASAN  // ten times as slow
    constexpr double most = 20;
#else
    constexpr double most = 2;
#endif
    const Stopwatch watch;
    EXPECT_EQ(throw_sites(printed, ways, files).size(), 16U);
    EXPECT_LT(watch.seconds(), most);
}

/// What is longer than anybody writes gets the compiler's words alone.
TEST(HostileSources, ALongSubmissionIsNotReadForAdvice) {
    const std::string idle = "void f(Tensor& x) {\n    x[0] = 1;\n}\n";
    const auto with = [&](const std::string& more) {
        return std::vector<SourceFile>{{"a.cpp", idle}, {"b.hpp", more}};
    };
    EXPECT_EQ(idle_statements(with(repeated("a ", most_words_for_advice - 30))).size(), 1U);
    EXPECT_THAT(idle_statements(with(repeated("a ", most_words_for_advice))), IsEmpty());
    EXPECT_THAT(idle_statements(with(std::string(most_bytes_for_advice, ' '))), IsEmpty());
    std::vector<SourceFile> replayed = with("");
    replayed.push_back({"replay_1.cpp", repeated("1 ", most_words_for_advice)});
    EXPECT_EQ(idle_statements(replayed).size(), 1U) << "a replay is no part of it";
    EXPECT_FALSE(SourceLines(with(repeated("a ", most_words_for_advice))).function_around({"a.cpp", 2, ""}));

    const std::string output =
        "a.cpp:3:5: error: lvalue required as left operand of assignment\n"
        "    3 |     x(0) = 1;\n      |     ^\n";
    const std::string changed = "void f() {\n    const Tensor x = g();\n    x(0) = 1;\n}\n";
    EXPECT_THAT(errors(changed, output).at(0).advice, HasSubstr("x is const (line 2)"));
    const auto told = errors(changed + repeated("a ", most_words_for_advice), output);
    ASSERT_EQ(told.size(), 1U) << "its own line is told all the same";
    EXPECT_EQ(told[0].at.text, "x(0) = 1;");
    EXPECT_THAT(told[0].advice, testing::Not(HasSubstr("x is const")));
}

TEST(HostileSources, ALongLineIsNotReadForAdvice) {
    const std::string output =
        "a.cpp:3:5: error: lvalue required as left operand of assignment\n"
        "    3 |     x(0) = 1;\n      |     ^\n";
    const std::string changed = "void f() {\n    const Tensor x = g();\n    x(0) = 1;";
    const auto advice = [&](std::size_t more) {
        return errors(changed + repeated(" ;", more) + "\n}\n", output).at(0).advice;
    };
    EXPECT_THAT(advice(most_words_of_a_line - 20), HasSubstr("x is const (line 2)"));
    EXPECT_THAT(advice(most_words_of_a_line), testing::Not(HasSubstr("x is const")));
    const WordsOfFile file(changed + repeated(" ;", most_words_of_a_line) + "\n}\n");
    EXPECT_EQ(file.line(3).end, file.line(3).begin);
    EXPECT_EQ(file.line(2).end - file.line(2).begin, 8U);
}

}  // namespace
}  // namespace headway::build
