#include "submission/source_words.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace headway::build {
namespace {

/// "int|a|;"
std::string words_in(std::string_view text) {
    std::string all;
    for (const Word& word : words_of(text)) all += (all.empty() ? "" : "|") + word.text;
    return all;
}

std::string repeated(std::string_view text, std::size_t bytes) {
    std::string all;
    while (all.size() < bytes) all += text;
    return all;
}

double seconds_to_read(const std::string& text) {
    const auto begin = std::chrono::steady_clock::now();
    words_of(text);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(SourceWords, ARawStringEndsWithItsDelimiter) {
    EXPECT_EQ(words_in("R\"(a\" b)\" c"), "R\"(a\" b)\"|c");
    EXPECT_EQ(words_in("u8R\"x()\" )x\" c"), "u8R\"x()\" )x\"|c");
    EXPECT_EQ(words_in("R\"\"(a)\"\" c"), "R\"\"(a)\"\"|c") << "a quote may be one";
    EXPECT_EQ(words_in("R\"0123456789abcdef()\" )0123456789abcdef\" c"),
              "R\"0123456789abcdef()\" )0123456789abcdef\"|c");
}

/// g++ takes no such file; clang++ does where it is skipped, and reads on behind the next quote.
TEST(SourceWords, WithoutADelimiterThatMayBeOneItEndsWithTheNextQuote) {
    for (const char* delimiter : {"0123456789abcdefg(", "a b(", "a\\b(", "a)(", "a\n(", "\xC3\xA9(", "a"})
        EXPECT_EQ(words_in("R\"" + std::string(delimiter) + " /*\" b /* */ c"),
                  "R\"" + std::string(delimiter) + " /*\"|b|c")
            << delimiter;
}

TEST(SourceWords, OfALargeFileAreBounded) {
    const std::string text(4U << 20U, ';');
    EXPECT_EQ(words_of(text).size(), most_words_read);
    EXPECT_EQ(words_without_directives("#if 1\n" + text).size(), most_words_read - 3);
}

TEST(SourceWords, WhatIfZeroLeavesOutIsNotRead) {
    const auto read = [](std::string_view text) {
        std::string words;
        for (const Word& word : words_without_directives(text)) words.append(word.text).append(" ");
        return words;
    };
    EXPECT_EQ(read("a\n#if 0\nb\n#endif\nc"), "a c ");
    EXPECT_EQ(read("a\n#if 0\nb\n#else\nc\n#endif\nd"), "a c d ");
    EXPECT_EQ(read("#if 0\n#ifdef X\nb\n#else\nc\n#endif\nd\n#elif Y\ne\n#endif\nf"), "e f ");
    EXPECT_EQ(read("#if 0 || X\na\n#endif\n#if 01\nb\n#endif\n#ifdef X\nc\n#else\nd\n#endif\n"), "a b c d ");
    EXPECT_EQ(read("a\n#if 0\nb"), "a ");
    EXPECT_EQ(read("#endif\na\n#"), "a ");
}

TEST(SourceWords, ALargeFileTakesNoLongTime) {
    constexpr std::size_t bytes = 2'000'000;
    const std::string parentheses(bytes / 2, ')');
    for (const std::string& text :
         {"R\"" + parentheses + "(" + parentheses, "R\"" + std::string(bytes, 'a'), "R\"a(" + repeated(")a", bytes),
          repeated("R\"", bytes), repeated("R\"a", bytes), repeated("R\"a(", bytes), repeated("R\"a()a\"", bytes),
          repeated("/*", bytes), repeated("#include <", bytes), repeated("\\ ", bytes), repeated("'", bytes)})
        EXPECT_LT(seconds_to_read(text), 5) << text.substr(0, 20);
}

}  // namespace
}  // namespace headway::build
