// Which functions of a submission certainly do not call which.
#include "grading/own_sources.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace headway::cli {
namespace {

using Files = std::vector<build::SourceFile>;

const std::string chain =
    "void last() {\n    found();\n}\n"
    "void first() {\n    last();\n}\n"
    "void lone() {\n    throw 1;\n}\n";

TEST(OwnSources, FollowWhatIsMentionedInAnyOrder) {
    const OwnSources own(Files{{"a.cpp", chain}});
    EXPECT_FALSE(own.never_calls("first", "found")) << "by way of a helper";
    EXPECT_FALSE(own.never_calls("first", "last"));
    EXPECT_TRUE(own.never_calls("last", "first"));
    EXPECT_TRUE(own.never_calls("lone", "found"));
    EXPECT_FALSE(own.never_calls("unknown", "found"));
}

TEST(OwnSources, SeeWhatMacrosTypesAndVariablesMention) {
    const auto calls = [](const std::string& before, const std::string& body) {
        const OwnSources own(Files{{"a.cpp", before + "\nvoid f() {\n    " + body + "\n}\n"}});
        return !own.never_calls("f", "append");
    };
    EXPECT_TRUE(calls("#define PUT(x) \\\n    append(x)", "PUT(1);"));
    EXPECT_TRUE(calls("const auto put = [](int x) { append(x); };", "put(1);"));
    EXPECT_TRUE(calls("struct Put {\n    void go() { append(1); }\n};", "Put().go();"));
    EXPECT_TRUE(calls("void (*put)(int) = append;", "put(1);"));
    EXPECT_FALSE(calls("void append(int);\nvoid other(int);", "other(1);  // append() is called later"));
    EXPECT_FALSE(calls("", "throw std::invalid_argument(\"append: full\");"));
}

TEST(OwnSources, KnowWhatStandsAboveALine) {
    const auto none_before = [](const std::string& body, int line) {
        return OwnSources(Files{{"a.cpp", "void f() {\n" + body + "\n}\n"}})
            .calls_none_before({"a.cpp", line, ""}, "g");
    };
    EXPECT_TRUE(none_before("throw 1;\ng();", 2));
    EXPECT_FALSE(none_before("g();\nthrow 1;", 3));
    EXPECT_FALSE(none_before("for (;;) {\nthrow 1;\ng();\n}", 3)) << "the next round";
    EXPECT_FALSE(none_before("f();\nthrow 1;\ng();", 3)) << "the call of itself gets there";
    EXPECT_FALSE(none_before("throw 1;", 300));
}

TEST(OwnSources, SayInWhichFunctionALineIs) {
    const OwnSources own(Files{{"a.cpp", "int x; int f() {\n    return x;\n}\nint g() { return 1; } int h() {\n}\n"}});
    EXPECT_EQ(own.function_around({"a.cpp", 2, ""}), "f");
    EXPECT_EQ(own.function_around({"a.cpp", 4, ""}), "") << "there are two";
    EXPECT_EQ(own.function_around({"a.cpp", 9, ""}), "");
    EXPECT_EQ(own.function_around({"b.cpp", 2, ""}), "");
}

/// A chain against the order of the file, in what is not compiled, and a file of many short lines.
TEST(OwnSources, OfAnyTextTakeNoLongTime) {
    const auto seconds = [](const std::string& text) {
        const std::clock_t begin = std::clock();  // of this process: others may keep it waiting
        const OwnSources own(Files{{"a.cpp", text}});
        for (int i = 0; i < 100; ++i) own.never_calls("f", "g");
        own.function_around({"a.cpp", 2, ""});
        return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    };
    const auto a = [](int k) { return "a" + std::to_string(k); };
    for (const int links : {1000, 100'000}) {
        std::string text = "#if 0\n";
        for (int k = links; k-- > 0;) text += "void " + a(k) + "() { " + a(k + 1) + "(); }\n";
        EXPECT_LT(seconds(text + "#endif\nvoid f() {\n    a0();\n}\nvoid g() {}\n"), 5) << links;
    }
    std::string lines;
    for (int i = 0; i < 2'000'000; ++i) lines += "f\n";
    EXPECT_LT(seconds(lines), 5);
}

TEST(OwnSources, SayNothingOfWhatIsLongerThanAnybodyWrites) {
    std::string many = chain;
    for (int i = 0; i < 7000; ++i) many += "int a;\n";
    std::string wide = "void wide() {\n";
    for (int i = 0; i < 3400; ++i) wide += "a;\nb;\n";
    for (const std::string& text : {many, chain + wide + "}\n", chain + "void open() {\n"}) {
        const OwnSources own(Files{{"a.cpp", text}});
        EXPECT_FALSE(own.never_calls("lone", "found"));
        EXPECT_FALSE(own.calls_none_before({"a.cpp", 8, ""}, "found"));
        EXPECT_EQ(own.function_around({"a.cpp", 8, ""}), "");
    }
}

}  // namespace
}  // namespace headway::cli
