#include "build/unchecked.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headway::build {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> found_in(const std::string& text) { return unchecked_places({{"a.cpp", text}}); }

TEST(Unchecked, AttributesThatSwitchTheSanitizerOffAreTold) {
    for (const char* attribute :
         {"__attribute__((no_sanitize(\"address\")))", "__attribute__((__no_sanitize_address__))",
          "__attribute__((noinline, no_sanitize_undefined))", "[[gnu::no_sanitize(\"undefined\")]]",
          "[[gnu::no_\\\nsanitize(\"address\")]]", "#define OFF no_sanitize_address\n"})
        EXPECT_THAT(found_in(std::string("int a;\n") + attribute + " int f();"), ElementsAre(HasSubstr("a.cpp line ")))
            << attribute;
    EXPECT_THAT(found_in("int a;\n[[gnu::no_sanitize(\"address\")]] int f();"),
                ElementsAre("a.cpp line 2 switches the sanitizer off: what that function does with memory was not "
                            "checked"));
}

TEST(Unchecked, NamesThatArePastedTogetherAreTold) {
    EXPECT_THAT(found_in("#define PASTE(a, b) a##b\n__attribute__((PASTE(no_sani, tize)(\"address\"))) int f();"),
                ElementsAre(HasSubstr("a.cpp line 1 pastes names together")));
    EXPECT_THAT(found_in("%:define PASTE(a, b) a%:%:b\n"), ElementsAre(HasSubstr("pastes names together")));
}

/// What the preprocessor takes for a literal is shorter than it looks.
TEST(Unchecked, NoLiteralHidesWhatFollowsIt) {
    for (const char* literal : {"DROP(0'\"')", "DROP(1'0'\"')", "DROP(\xC3\xA9R\"(\")", "DROP(R\"x()\\\nx\" )x\")"})
        EXPECT_EQ(found_in(std::string(literal) + " __attribute__((no_sanitize(\"address\"))) int f();").size(), 1U)
            << literal;
}

/// In one, /* begins no comment; elsewhere it does.
TEST(Unchecked, NoNameOfAHeaderHidesWhatFollowsIt) {
    const std::string off = "\n__attribute__((no_sanitize(\"address\"))) int f();\n/* */";
    for (const char* line : {"#if __has_include(<nothing/*here>)", "#include <nothing/*here>", "# \\\n include <a/*b>",
                             "#elif __has_include_next ( <a//b>)", "#include <a/*b"})
        EXPECT_EQ(found_in(line + off).size(), 1U) << line;
    for (const char* text : {"int include, a = include </* no_sanitize */ 1;", "#define LESS a </* no_sanitize */ b\n"})
        EXPECT_THAT(found_in(text), IsEmpty()) << text;
}

TEST(Unchecked, MacrosOfHeadersThatPasteOrAssembleAreTold) {
    for (const char* text : {"__attribute__((__CONCAT(no_sanitize, _address))) int f();",
                             "int EIGEN_CAT(no_, sanitize);", "void f() { EIGEN_ASM_COMMENT(\"x\"); }"})
        EXPECT_EQ(found_in(text).size(), 1U) << text;
}

TEST(Unchecked, AProgramThatStartsItselfAnewIsTold) {
    for (const char* text : {"execve(argv[0], argv, options);", "posix_spawn(a, b, c, d, e, f);",
                             "syscall(59, a, b, c);", "execveat(AT_FDCWD, argv[0], argv, options, 0);"})
        EXPECT_EQ(found_in(text).size(), 1U) << text;
}

TEST(Unchecked, QuestionsToTheSanitizerAreTold) {
    for (const char* text : {"#ifdef __SANITIZE_ADDRESS__\n#endif\n", "#if __has_feature(address_sanitizer)\n#endif\n",
                             "extern \"C\" void __asan_unpoison_memory_region(void*, unsigned long);",
                             "ASAN_POISON_MEMORY_REGION(x, 3);", "asm(\"nop\");", "__asm__ volatile(\"\");"})
        EXPECT_EQ(found_in(text).size(), 1U) << text;
}

TEST(Unchecked, LooksAtTheProcessAreTold) {
    for (const char* text : {"bool a = std::getenv(\"X\");", "extern char** environ;",
                             "const char* a = \"ASAN_OPTIONS\";", "bool a = malloc_usable_size(b) < 8;",
                             "void* a = dlsym(nullptr, name);", "std::ifstream maps(\"/proc/self/maps\");"})
        EXPECT_EQ(found_in(text).size(), 1U) << text;
}

TEST(Unchecked, AStringIsReadAsTheCompilerReadsIt) {
    for (const char* text :
         {"open(\"/pro\" \"c/self/maps\");", "open(\"/pro\"\n// of this\n\"c/self/maps\");",
          "open(\"/pro\"\n#if 1\n\"c/self\"\n#endif\n);", "open(u8\"/pro\" u8\"c/self\");",
          "#define P \"/pro\" \"c/self\"\n", "open(R\"(/proc/self/maps)\");", "open(R\"x(/pro)x\" R\"(c/self)\");",
          "open(\"/\\160roc/self\");", "open(\"\\x2fproc/self\");", "open(\"/proc\\u002fself\");",
          "open(\"\\57pr\" \"\\U0000006fc\\57\");"})
        EXPECT_EQ(found_in(text).size(), 1U) << text;
    for (const char* text : {"f(\"/pro\", \"c/self\");", "f(\"/pro\"); g(\"c/self\");", "f(\"/pro\" + L + \"c/\");",
                             "f(\"/pro\"\n#define A \"c/self\"\n);", "f('/', \"proc/\");", "f(\"\\\\57proc/\");"})
        EXPECT_THAT(found_in(text), IsEmpty()) << text;
}

TEST(Unchecked, OptionsOfOnesOwnAreTold) {
    for (const char* text : {"#pragma GCC optimize(\"O3\")\n", "#  pragma GCC \\\n optimize (\"O3\")\n",
                             "__attribute__((optimize(\"O0\"))) int f();", "[[nodiscard, gnu::optimize(3)]] int f();",
                             "_Pragma(\"GCC optimize(3)\")\n", "_Pragma(L\"GCC optimize(3)\")\n"})
        EXPECT_EQ(found_in(text).size(), 1U) << text;
}

TEST(Unchecked, WordsInCommentsAndLiteralsAreNot) {
    for (const char* text :
         {"// no_sanitize_address\n", "/* __SANITIZE_ADDRESS__\n asm */", "const char* a = \"no_sanitize\";",
          "const char* a = R\"x(asm \" no_sanitize )\" )x\"; int optimize;", "int optimize(int a) { return a[asm_]; }",
          "int a = 1'000; // asm\nint b = 2'000;", "char q = '\"'; // asm \"", "const char* a = \"\\\"asm\";",
          "__attribute__((noinline)) int optimize();", "v[w[0]] = optimize(x);", "#pragma GCC diagnostic push\n"})
        EXPECT_THAT(found_in(text), IsEmpty()) << text;
}

TEST(Unchecked, WhatIsTooLongToBeReadIsTold) {
    const std::string much = std::string(400'000, ';') + "\n__attribute__((no_sanitize_address)) int f();";
    const auto told = found_in(much);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0], testing::HasSubstr("is read up to line 1, since it is so long"));
    EXPECT_EQ(found_in("asm(\"\");\n" + much).size(), 2U);
    EXPECT_THAT(found_in(std::string(100'000, ';')), IsEmpty());
}

TEST(Unchecked, TextThatEndsTooSoonIsRead) {
    for (const char* text : {"\"", "'", "/*", "R\"x(", "R\"", "R\")(", "\"\\x", "\"\\", "u8\"\\u12\"", "\\", "\\\n",
                             "__attribute__((", "[[", "\"\\", "_Pragma("})
        EXPECT_THAT(found_in(text), IsEmpty()) << text;
}

}  // namespace
}  // namespace headway::build
