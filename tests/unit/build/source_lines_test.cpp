// What addr2line says of a program that a student wrote: only what was handed in is shown.
#include "build/source_lines.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace headway::build {
namespace {

const std::vector<SourceFile> files{{"merge_heads.cpp", "#include \"merge_heads.hpp\"\n\n\t return f();  \n"},
                                    {"parts/rows.hpp", "int one();\r\nint two();"}};

/// "FILE:LINE TEXT", with a star if the throw itself is there; "" if no file has it.
std::string site(const std::string& printed, const WayToThrow& way = {0x10, 0x20}) {
    const auto sites = throw_sites(printed, {way}, files);
    if (!sites.at(0)) return "";
    const verdict::SourceLine& line = sites[0]->line;
    return line.file + ":" + std::to_string(line.line) + " " + line.text + (sites[0]->is_the_throw ? "*" : "");
}

TEST(SourceLines, TheInnermostCallInAFileThatWasHandedIn) {
    EXPECT_EQ(site("0x0000000000000010\n/course/tensor/src/movement.cpp:31\n"
                   "0x0000000000000020\n/usr/include/c++/12/functional:9\n./merge_heads.cpp:3\n./merge_heads.cpp:1\n"),
              "merge_heads.cpp:3 return f();");
    EXPECT_EQ(site("0x10\nmerge_heads.cpp:3 (discriminator 2)\n0x20\n??:0\n"), "merge_heads.cpp:3 return f();*");
    EXPECT_EQ(site("0x10\n??:?\n0x20\n./parts/../parts/./rows.hpp:1\n"), "parts/rows.hpp:1 int one();");
}

TEST(SourceLines, OfAThrowOfWordsThatWereGivenTheCallTells) {
    const std::vector<SourceFile> own{{"a.cpp",
                                       "void fail(const std::string& why) { throw std::invalid_argument(why); }\n"
                                       "if (x.rank() != 4) fail(\"rank\");\n"
                                       "return inner(x);\n"
                                       "throw std::invalid_argument(\"rank\");\n"
                                       "throw Refused();\n"}};
    const auto line_of = [&](const std::string& printed) {
        const auto sites = throw_sites(printed, {{1, 2, 3}}, own);
        EXPECT_TRUE(sites.at(0) && sites[0]->is_the_throw) << printed;
        return sites[0] ? sites[0]->line.line : 0;
    };
    EXPECT_EQ(line_of("0x1\na.cpp:1\n0x2\na.cpp:2\n0x3\na.cpp:3\n"), 2);
    EXPECT_EQ(line_of("0x1\na.cpp:1\na.cpp:2\n0x2\na.cpp:3\n0x3\n??:0\n"), 2) << "inlined";
    EXPECT_EQ(line_of("0x1\na.cpp:1\n0x2\n/usr/include/c++/12/functional:9\n0x3\n??:0\n"), 1);
    EXPECT_EQ(line_of("0x1\na.cpp:4\n0x2\na.cpp:3\n0x3\n??:0\n"), 4) << "its words are there";
    EXPECT_EQ(line_of("0x1\na.cpp:5\n0x2\na.cpp:3\n0x3\n??:0\n"), 5);
}

TEST(SourceLines, OfWhatNeverEndsTheFunctionWithTheLoopIsKnown) {
    const std::vector<SourceFile> own{{"a.cpp",
                                       "int at(int b) {\n    return b;\n}\n"
                                       "int deeper(int b) {\n    return deeper(at(b));\n}\n"
                                       "void append(int B) {\n    while (at(B) < 5)\n        deeper(B);\n}\n"}};
    const auto line_of = [&](const std::string& printed) {
        const auto sites = throw_sites(printed, {{1, 2}}, own);
        return sites.at(0) && sites[0]->in_loop ? sites[0]->in_loop->line : 0;
    };
    EXPECT_EQ(line_of("0x1\na.cpp:2\na.cpp:8\n0x2\n??:0\n"), 8) << "inlined";
    EXPECT_EQ(line_of("0x1\na.cpp:2\n0x2\na.cpp:8\n"), 8);
    EXPECT_EQ(line_of("0x1\na.cpp:5\n0x2\na.cpp:9\n"), 5) << "it calls itself";
    EXPECT_EQ(line_of("0x1\na.cpp:2\n0x2\n??:0\n"), 0);
    EXPECT_EQ(throw_sites("0x1\na.cpp:2\n0x2\na.cpp:8\n", {{1, 2}}, own).at(0)->line.line, 2);
}

TEST(SourceLines, TheWayToAThrowIsKnownOutwards) {
    const std::vector<SourceFile> own{{"a.cpp", "a();\nb();\nc();\nd();\n"}};
    const auto sites = throw_sites("0x1\na.cpp:2\na.cpp:3\n0x2\n??:0\n0x3\na.cpp:4\n", {{1, 2, 3}}, own);
    ASSERT_TRUE(sites.at(0));
    EXPECT_EQ(sites[0]->line.line, 2);
    ASSERT_EQ(sites[0]->callers.size(), 2U);
    EXPECT_EQ(sites[0]->callers[0].line, 3);
    EXPECT_EQ(sites[0]->callers[1].text, "d();");
}

TEST(SourceLines, OfWhatNeverEndsTheHeadOfTheLoopIsKnown) {
    const std::vector<SourceFile> own{{"a.cpp",
                                       "void absorb(Index n) {\n"
                                       "    const Tensor dense = v.contiguous();\n"
                                       "    for (Index row = 0; row < n; ++row) add(row);\n"
                                       "}\n"
                                       "void tiled(Index T, Index S, Index tile) {\n"
                                       "    for (Index t = 0; t < T; t += tile) {\n"
                                       "        Index s = 0;\n"
                                       "        while (s < S) {\n"
                                       "            x = matmul(q,\n"
                                       "                       k.slice(2, s, S));\n"
                                       "            for (Index j = s; j < S; ++j) y(j);\n"
                                       "            absorb(S);\n"
                                       "        }\n"
                                       "    }\n"
                                       "}\n"}};
    const auto line_of = [&](const std::string& printed) {
        const auto sites = throw_sites(printed, {{1, 2}}, own);
        return sites.at(0) && sites[0]->in_loop ? sites[0]->in_loop->line : 0;
    };
    EXPECT_EQ(line_of("0x1\na.cpp:9\n0x2\n??:0\n"), 8);
    EXPECT_EQ(line_of("0x1\na.cpp:11\n0x2\n??:0\n"), 8) << "the loop in it comes to an end";
    EXPECT_EQ(line_of("0x1\na.cpp:2\n0x2\na.cpp:12\n"), 8) << "called from the loop";
    EXPECT_EQ(line_of("0x1\na.cpp:3\n0x2\na.cpp:12\n"), 8) << "in a loop that comes to an end";
    EXPECT_EQ(line_of("0x1\na.cpp:3\n0x2\n??:0\n"), 3);
    EXPECT_EQ(line_of("0x1\na.cpp:2\n0x2\n??:0\n"), 2) << "beside a loop";
}

TEST(SourceLines, NoLoopIsToldThatEndsWithinAnother) {
    const std::vector<SourceFile> own{{"a.cpp",
                                       "void windows(Index T, Index w) {\n"
                                       "    const Index step = w / 8;\n"
                                       "    for (Index b = 0; b < 3; ++b)\n"
                                       "        for (Index begin = 0; begin < T; begin += step) {\n"
                                       "            for (const Index g : globals) far(g);\n"
                                       "            for (Index t = begin; t < begin + step; ++t) near(t);\n"
                                       "        }\n"
                                       "}\n"
                                       "void listed(Index T) {\n"
                                       "    for (Index t = 0; t < T; ++t)\n"
                                       "        for (Index s = 0; s < T; ++s)\n"
                                       "            for (const Index g : globals) far(g);\n"
                                       "}\n"
                                       "void list() {\n"
                                       "    for (const Index g : globals)\n"
                                       "        far(g);\n"
                                       "}\n"}};
    const auto line_of = [&](int line) {
        const auto sites = throw_sites("0x1\na.cpp:" + std::to_string(line) + "\n", {{1}}, own);
        return sites.at(0) && sites[0]->in_loop ? sites[0]->in_loop->line : 0;
    };
    EXPECT_EQ(line_of(5), 4) << "its step may be 0";
    EXPECT_EQ(line_of(6), 4);
    EXPECT_EQ(line_of(12), 10) << "the outermost";
    EXPECT_EQ(line_of(16), 16) << "the line itself";
}

/// A long way may lead through a large file, line by line: it is made words of once.
TEST(SourceLines, ALargeFileTakesNoLongTime) {
    std::string text = "void f() {\n#if 0\n", printed = "0x1\n";
    for (int i = 0; i < 100'000; ++i) text += "while()a ";
    text += "\n#endif\n" + std::string(1'000'000, ';') + "\n}\n";
    for (int i = 0; i < 40; ++i) {
        text += "void g() { g(); }\n";
        printed += "a.cpp:3\na.cpp:" + std::to_string(i + 7) + "\n";
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto sites = throw_sites(printed, {{1}}, {{"a.cpp", text}});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
    ASSERT_TRUE(sites.at(0));
    EXPECT_EQ(sites[0]->line.line, 3);
}

TEST(SourceLines, AnAssignmentIsQuotedWithItsLeftSide) {
    const std::vector<SourceFile> own{{"a.cpp", "f();\n    grad_x +=  // of q\n        g(x);\nh(\n    x);\n"}};
    const auto told = [&](const std::string& line) {
        return throw_sites("0x1\na.cpp:" + line + "\n", {{1}}, own).at(0)->line;
    };
    EXPECT_EQ(told("3").text, "grad_x += g(x);");
    EXPECT_EQ(told("3").line, 2);
    EXPECT_EQ(told("2").text, "grad_x +=  // of q");
    EXPECT_EQ(told("5").text, "x);");
    EXPECT_EQ(told("1").text, "f();");
}

TEST(SourceLines, EachWayHasItsOwn) {
    const auto sites = throw_sites("0x1\n??:0\n0x2\nmerge_heads.cpp:1\n0x1\n??:0\n0x3\nparts/rows.hpp:2\n",
                                   {{1, 2}, {}, {1, 3}, {4}}, files);
    ASSERT_EQ(sites.size(), 4U);
    EXPECT_EQ(sites[0]->line.file, "merge_heads.cpp");
    EXPECT_FALSE(sites[1]);
    EXPECT_EQ(sites[2]->line.text, "int two();");
    EXPECT_FALSE(sites[3]);
}

TEST(SourceLines, NamesThatWereNotHandedInShowNothing) {
    for (const char* name : {"/etc/passwd", "../merge_heads.cpp", "/merge_heads.cpp", "rows.hpp", "merge_heads.cp",
                             "merge_heads.cpp/", "\x1b[31mmerge_heads.cpp", "", ".", "merge_heads.cpp:3"})
        EXPECT_EQ(site("0x10\n" + std::string(name) + ":3\n"), "") << name;
}

TEST(SourceLines, LinesThatDoNotExistShowNothing) {
    for (const char* number : {"0", "-1", "4", "99999999999999999999", "2147483648", "0x1", "+1", "", "1 ", " 1", "?"})
        EXPECT_EQ(site("0x10\nmerge_heads.cpp:" + std::string(number) + "\n"), "") << number;
}

TEST(SourceLines, WhateverIsPrintedIsHarmless) {
    for (const std::string& printed :
         {std::string(), std::string("\n\n:\n0x\n"), std::string("merge_heads.cpp:1\n"),
          std::string("0x99\nmerge_heads.cpp:1"), std::string("addr2line: 'worker': No such file\n"),
          std::string("0x10\n\0:1\n", 9), "0x10\n" + std::string(100'000, '/') + ":1\n",
          "0x" + std::string(100'000, 'f') + "\nmerge_heads.cpp:1\n"})
        EXPECT_EQ(site(printed), "");
    // A name with a line end in it can only move a line of one's own to another call of one's own.
    EXPECT_EQ(site("0x10\nx\n0x20\nmerge_heads.cpp:1:7\n0x20\n??:0\n"), "");
}

TEST(SourceLines, ALongLineIsCutBetweenCharacters) {
    std::string text = "// ";
    for (int i = 0; i < 200; ++i) text += "√";
    const auto line = source_line({{"a.cpp", text}}, "a.cpp", 1);
    ASSERT_TRUE(line);
    EXPECT_LE(line->text.size(), 210U);
    EXPECT_TRUE(line->text.ends_with("√ …")) << line->text;
}

}  // namespace
}  // namespace headway::build
