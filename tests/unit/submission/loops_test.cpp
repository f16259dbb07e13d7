#include "submission/loops.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <string_view>

namespace headway::build {
namespace {

/// "2 counts, 3 never": the loops around a line of a function, outermost first.
std::string around(std::string_view body, int line) {
    const std::string text = "void f(Index n, Index tile) {\n" + std::string(body) + "\n}\n";
    const auto function = FunctionsOfFile(text).around(line);
    if (!function) return "no function";
    std::string all;
    for (const Loop& loop : loops_around(*function, line))
        all += (all.empty() ? "" : ", ") + std::to_string(loop.line) +
               (loop.ends == Loop::Ends::counts    ? " counts"
                : loop.ends == Loop::Ends::perhaps ? " perhaps"
                                                   : " never");
    return all;
}

TEST(Loops, ALoopIsAroundItsHeadAndItsBody) {
    const char* body = "for (Index i = 0; i < n; ++i) {\n    g(i);\n}\nfor (Index i = 0; i < n; ++i)\n    g(i);\ng(n);";
    EXPECT_EQ(around(body, 2), "2 counts");
    EXPECT_EQ(around(body, 3), "2 counts");
    EXPECT_EQ(around(body, 5), "5 counts");
    EXPECT_EQ(around(body, 6), "5 counts");
    EXPECT_EQ(around(body, 7), "");
    EXPECT_EQ(around("for (Index t = 0; t < n; t += tile)\nwhile (more())\nif (n > 3) g(t);\nelse g(0);", 5),
              "2 counts, 3 perhaps");
    EXPECT_EQ(around("do {\ng(n);\n} while (g(1) < n);\ng(2);", 3), "2 perhaps");
    EXPECT_EQ(around("do {\ng(n);\n} while (g(1) < n);\ng(2);", 5), "");
}

TEST(Loops, WhatTheConditionReadsIsChangedNowhere) {
    for (const char* body :
         {"Index s = 0;\nwhile (s < n) {\nconst Index end = std::min(s + tile, n);\nx.slice(0, s, end);\n}",
          "Index s = 0;\nfor (; s < n;)\nx.slice(0, s, s + tile);\n\n",
          "Index s = 0;\nwhile (s < n)\n    row[s] /= 2;\n\n",
          "const Index B = x.size(0), d = g({B, 2}, 3); Index s = 0;\nwhile (s < d / 2)\n    row[s] /= 2;\n\n"})
        EXPECT_EQ(around(body, 4), "3 never") << body;
    EXPECT_EQ(around("for (Index i = 0, j = 0; i < n; ++j)\ng(j);", 3), "2 never");
    EXPECT_EQ(around("for (Index t = 0; t < n; t + 1)\nx.fill(1);", 3), "2 never") << "t + 1 moves nothing";
    EXPECT_EQ(around("for (Index t = 0; t < x.size(0); t + 1)\nx.fill(1);", 3), "2 perhaps");
    EXPECT_EQ(around("Index s = 0;\ndo {\nx.fill(s + 1);\n} while (s < n);", 4), "3 never");
    EXPECT_EQ(around("Index s = 0; const auto f = [&] { x.fill(s); };\nwhile (s < n)\n    f();", 4), "3 never");
    EXPECT_EQ(around("each([&](Index b) { Index s = b;\nwhile (s < n)\n    x.fill(s); });", 4), "3 never");
}

TEST(Loops, WhatMayChangeUnseenIsNotSaidToStay) {
    for (const char* body :
         {"Index s = 0;\nwhile (s < n)\n    s += tile;", "Index s = 0;\nwhile (s < n)\n    s = next;",
          "Index s = 0;\nwhile (s < n)\n    advance(s);", "Index s = 0;\nwhile (s < n)\n    g(++s);",
          "Index s = 0;\nwhile (s < n)\n    in >> s;", "Index s = 0;\nwhile (s < n)\n    g(&s);",
          "Index s = 0;\nwhile (s < n)\n    std::swap(s, next);", "Index s = 0; Index& r = s;\nwhile (s < n)\n    ++r;",
          "Index s = 0; const auto go = [&] { ++s; };\nwhile (s < n)\n    go();", "g();\nwhile (member_ < n)\n    g();",
          "g(n, s = 0);\nwhile (s < n)\n    h(n);", "g[n, s = 0];\nwhile (s < n)\n    h(n);",
          "g = 1, s = 0;\nwhile (s < n)\n    h(n);", "g();\nwhile (x.more())\n    g();", "g();\nwhile (true)\n    g();",
          "g();\nfor (;;)\n    g();"})
        EXPECT_EQ(around(body, 4), "3 perhaps") << body;
}

TEST(Loops, ACounterGoesTowardsItsBound) {
    EXPECT_EQ(around("for (Index i = n - 1; i > 0; i--)\ng(i);", 3), "2 counts");
    EXPECT_EQ(around("for (const Index x : list)\ng(x);", 3), "2 counts");
    EXPECT_EQ(around("for (Index i = 0; i < n; --i)\ng(i);", 3), "2 perhaps");
    EXPECT_EQ(around("for (Index i = 0; i < n; ++i)\ni = g(i);", 3), "2 perhaps");
}

/// "3 past 4 s": the continue, and what it goes past, of a while in line 2.
std::string skipped(std::string_view body) {
    const std::string text = "void f(Index s, Index n, const Mask& mask) {\n" + std::string(body) + "\n}\n";
    const auto function = FunctionsOfFile(text).around(2);
    const auto step = function ? skipped_step(*function, 2) : std::nullopt;
    return step ? std::to_string(step->skips) + " past " + std::to_string(step->changes) + " " + step->name : "";
}

TEST(Loops, AContinueGoesPastWhatChangesTheCondition) {
    EXPECT_EQ(skipped("while (s < n) {\nif (mask(0, s)) continue;\n++s;\n}"), "3 past 4 s");
    EXPECT_EQ(skipped("while (s < n) {\nif (g.at(s) == 0) {\ncontinue;\n}\nfor (Index i = 0; i < n; ++i) h(i);\n"
                      "s += 2;\n}"),
              "4 past 7 s");
    EXPECT_EQ(skipped("Mask a = g(), m = Mask::allow_all({n}); while (s < n) {\nif (h.at(s) == 0) {\nm(0, s) = true;\n"
                      "continue;\n}\n++s;\n}"),
              "5 past 7 s");
    EXPECT_EQ(skipped("while (s < mask.size(1)) {\nif (mask(0, s)) continue;\n++s;\n}"), "3 past 4 s");
    EXPECT_EQ(skipped("each([&] { Index t = 0; while (t < n) {\nif (mask(0, t)) continue;\n++t;\n}});"), "3 past 4 t");
    EXPECT_EQ(skipped("Index t = 0; f([&] { ++t; }); while (t < n) {\nif (mask(0, t)) continue;\n++t;\n}"), "")
        << "the lambda may change it";
    EXPECT_EQ(skipped("Mask a = g(); while (s < a.size(-1)) {\nif (a(0, s)) continue;\n++s;\n}"), "")
        << "another mask may take its place";
    for (const char* body :
         {"while (s < mask.size(n)) {\nif (mask(0, s)) continue;\n++n;\n}",
          "while (s < n) {\n++s;\nif (mask(0, s)) continue;\n}", "while (s < n) {\nif (g(s)) continue;\n++s;\n}",
          "while (s++ < n) {\nif (mask(0, s)) continue;\n++s;\n}",
          "while (s < n) {\nfor (Index i = 0; i < 3; ++i)\nif (mask(0, i)) continue;\n++s;\n}",
          "while (s < n) {\nif (mask(0, s)) break;\n++s;\n}", "while (g(s)) {\nif (mask(0, s)) continue;\n++s;\n}",
          "while (s < n) {\nif (mask(0, s)) continue;\n}",
          "Move m = g(), k = Move(); while (s < n) {\nm(0, s);\nif (mask(0, s)) continue;\n++s;\n}",
          "for (; s < n; ++s) {\nif (mask(0, s)) continue;\n++s;\n}"})
        EXPECT_EQ(skipped(body), "") << body;
}

/// A submission may be anything.
TEST(Loops, WhateverIsWrittenIsHarmless) {
    std::string nested;
    for (int i = 0; i < 20'000; ++i) nested += "for (;;) do if (x) while (1) ";
    for (const std::string& body :
         {nested, std::string("while ("), std::string("for (;;"), std::string("do while do ("),
          std::string("while (a) while"), std::string(")))}}}]]]while(s<n)")})
        EXPECT_NO_THROW(around(body, 2));
}

/// What is not compiled is read all the same.
TEST(Loops, AFunctionWithoutEndTakesNoLongTime) {
#ifdef HEADWAY_ASAN  // ten times as slow
    constexpr std::size_t length = 100'000;
#else
    constexpr std::size_t length = 500'000;
#endif
    const auto repeated = [&](std::string_view text) {
        std::string all;
        while (all.size() < length) all += text;
        return all;
    };
    std::string declared, read;
    for (int i = 0; i < 50'000; ++i) {
        const std::string name = "a" + std::to_string(i);
        declared += "Index " + name + "; ";
        read += name + " + ";
    }
    declared += "while (" + read + "a0) b;";
    for (const std::string& body :
         {repeated("while()a "), repeated("for(;;)"), repeated("do "), repeated("if(a)b;else "), repeated("do while()"),
          "Index a; while (" + repeated("a + ") + "a) b;", declared}) {
        const std::clock_t begin = std::clock();  // of this process: others may keep it waiting
        loops_around({.name = "f", .words = words_of("void f(Index n) { " + body)}, 1);
        EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC) << body.substr(0, 20);
        EXPECT_FALSE(FunctionsOfFile("void f(Index n) {\n" + body + "\n}\n").around(2)) << "it is too long";
    }
}

/// Each call that is given `a` asks whether m is a tensor, which is said late.
TEST(Loops, ManyCallsInManyLoopsTakeNoLongTime) {
    std::string text = "void f(Index n) {\nIndex a;\n" + std::string(3600, ';') + " Tensor m;\n";
    for (int i = 0; i < 16; ++i) text += "while (a) { ";
    for (int i = 0; i < 1000; ++i) text += "m(a); ";
    const auto function = FunctionsOfFile(text + "\n}\n").around(4);
    ASSERT_TRUE(function);
    const std::clock_t begin = std::clock();
    for (int i = 0; i < 20; ++i) loops_around(*function, 4);
    EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace headway::build
