#include "submission/function_places.hpp"

#include <gtest/gtest.h>

namespace headway::build {
namespace {

/// "name:line name:line"
std::string defined(std::string_view text) {
    std::string all;
    for (const DefinedFunction& one : functions_defined_in(text))
        all += (all.empty() ? "" : " ") + one.name + ":" + std::to_string(one.line);
    return all;
}

TEST(FunctionPlaces, ADefinitionHasABody) {
    EXPECT_EQ(defined("Tensor a(int);\nTensor b(int x) { return a(x); }\n"), "b:2");
    EXPECT_EQ(defined("namespace n {\nTensor\nn::a(int x,\n  int y)\n{\n}\n}\n"), "a:3");
    EXPECT_EQ(defined("struct S {\n  int f(int) const noexcept(true) override { return 1; }\n};"), "f:2");
    EXPECT_EQ(defined("auto f(int) -> std::vector<int>\n{}"), "f:1");
}

TEST(FunctionPlaces, ACallHasNone) {
    EXPECT_EQ(defined("if (a) {} for (;;) {} while (f(1)) {}"), "");
    EXPECT_EQ(defined("int x = f(1);\nauto y = c ? f(2) : g{3};\nf(4)->g(5);\n"), "");
    EXPECT_EQ(defined("return f(g(x), w, {});\nint y = f(x) * T{1} - f(x) & T{};\n"), "");
    EXPECT_EQ(defined("// void f() {}\n/* void f() {} */ const char* t = \"void f() {\";\n#define F void f() {\n"), "");
    EXPECT_EQ(defined("((((f(((("), "");
    EXPECT_EQ(defined(""), "");
}

TEST(FunctionPlaces, WhatIsCompiledGoesBeforeAHeaderAndTheLastBeforeItsHelper) {
    const std::vector<SourceFile> files = {
        {"a.hpp", "void f() {}\nvoid only_here() {}\n"},
        {"b.cpp", "int f(int) { return 1; }\nint f() {\n  return f(1);\n}\n"},
    };
    const auto found = definition_of("f", files);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->file, "b.cpp");
    EXPECT_EQ(found->line, 2);
    EXPECT_EQ(definition_of("only_here", files)->line, 2);
    EXPECT_FALSE(definition_of("g", files));
    EXPECT_EQ(first_use_of("return", files)->line, 1);
}

TEST(FunctionPlaces, ALineIsInTheFunctionThatBeginsLastBeforeIt) {
    const FunctionsOfFile file("#define X\nint f() {\n  return 1;\n}\nint g(int b) { return g(b); }\n");
    EXPECT_FALSE(file.around(1));
    ASSERT_TRUE(file.around(3));
    EXPECT_EQ(file.around(3)->name, "f");
    EXPECT_EQ(file.around(3)->words.front().text, "int") << "what stands in the line of its name";
    EXPECT_EQ(file.around(3)->words.back().text, "}");
    EXPECT_FALSE(file.around(4)->calls_itself());
    EXPECT_TRUE(file.around(99)->calls_itself());
}

/// A submission may be anything: what is read takes no longer than it is long.
TEST(FunctionPlaces, LongChainsAreReadOnce) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "f()->";
    for (int i = 0; i < 100'000; ++i) text += "f() noexcept() ";
    for (int i = 0; i < 100'000; ++i) text += "f(";
    EXPECT_EQ(defined(text), "");
}

}  // namespace
}  // namespace headway::build
