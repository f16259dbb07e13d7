#include "submission/declarations.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <string_view>

namespace headway::build {
namespace {

/// "sizes{} table{static, table, …}": the functions that are defined, and the names of all else.
std::string told(std::string_view text) {
    const auto all = declarations_in(words_of(text));
    if (!all) return "no brackets";
    std::string words;
    for (const Declaration& one : *all) {
        words += (words.empty() ? "" : " ") + (one.function.empty() ? "" : one.function + "()") + "{";
        for (const std::string& name : one.names) words += (words.back() == '{' ? "" : " ") + name;
        words += "}";
    }
    return words;
}

TEST(Declarations, AFunctionIsReachedByItsName) {
    EXPECT_EQ(told("namespace a::b {\nTensor f(const Tensor& x, bool causal = false) {\n  return g(x);\n}\n}"),
              "f(){f}");
    EXPECT_EQ(told("std::pair<Index, Index> f(int x) noexcept { } Tensor g(int);"), "f(){f} {g}");
    EXPECT_EQ(told("template <class T, int N = 3> T f(T x) { return x; }"), "f(){f}");
    EXPECT_EQ(told("Tensor Layer::forward(const Tensor& x) const { }"), "forward(){forward}");
    EXPECT_EQ(told("Layer::Layer(int n) : a_(n), b_{n} { x; } int f() { }"), "Layer(){Layer a_} f(){f}");
    EXPECT_EQ(told("auto f(int x) -> std::pair<A, B> { }"), "f(){f}");
}

TEST(Declarations, WhateverElseIsReachedByAllThatItMentions) {
    EXPECT_EQ(told("struct A {\n  void go() { append(); }\n};\n"), "{A append go struct void}");
    EXPECT_EQ(told("const auto hook = [] { append(); };"), "{append auto const hook}");
    EXPECT_EQ(told("void (*hook)(int);"), "{hook int void}");
    EXPECT_EQ(told("Foo a(1), b;"), "{Foo a b}");
    EXPECT_EQ(told("A operator+(A a, A b) { append(); }"), "{A a append b operator}");
    EXPECT_EQ(told("#define CALL(x) \\\n  append(x)\nint a;"), "{a int} {CALL append define x}");
}

TEST(Declarations, AreNotReadWhereBracketsDoNotMatch) {
    for (const char* text : {"void f() {", "void f() { ) }", "}", "void f( }", "namespace a {",
                             "#if 1\nvoid f() {\n"
                             "#else\nvoid g() {\n#endif\n}"})
        EXPECT_EQ(told(text), "no brackets") << text;
}

TEST(Declarations, AnyTextTakesNoLongTime) {
    for (const std::string_view text :
         {"(", ")", "{}", "a(){}", "template <", "{", ",{}", "x={},", "namespace{", "#a\n", "a(b){},", ";", "f\n"}) {
        std::string all;
        while (all.size() < 200'000) all += text;
        const std::vector<Word> words = words_of(all);
        const std::clock_t begin = std::clock();  // of this process: others may keep it waiting
        EXPECT_NO_THROW(declarations_in(words));
        EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC) << text;
    }
}

}  // namespace
}  // namespace headway::build
