// What is alike in more than the task explains.
#include "classroom/similarity.hpp"

#include "submission/digest.hpp"

#include <gtest/gtest.h>

#include <random>
#include <regex>

namespace headway::classroom {
namespace {

const std::string root = HEADWAY_SOURCE_DIR;

Fingerprints prints(const std::string& text) { return fingerprints_of(tokens_of(text)); }
std::string solution(const std::string& file) { return build::read_file(root + "/solutions/" + file); }

TEST(Similarity, NamesNumbersCommentsAndLayoutDoNotCount) {
    EXPECT_EQ(tokens_of("for (int i = 0; i < n; ++i) { x[i] *= 2.5f; } // scale"),
              tokens_of("for(int column=1;column<width;\n++column){\n values[column]*=0.5; /* other */ }"));
    EXPECT_NE(tokens_of("x = a + b;"), tokens_of("x = a - b;"));
    EXPECT_EQ(tokens_of("\"// no comment\" 'x' #"), (std::vector<std::string>{"text", "text", "#"}));
}

TEST(Similarity, ARenamedCopyIsFoundAndAnotherSolutionIsNot) {
    const std::string original = solution("03_scaled_scores/scaled_scores.cpp");
    const std::string renamed = std::regex_replace(original, std::regex("scores"), "zeta");
    const auto alike = find_alike({{"a", prints(original)},
                                   {"b", prints("// mine\n" + renamed)},
                                   {"c", prints(solution("02_head_splitting/head_splitting.cpp"))}},
                                  {});
    ASSERT_EQ(alike.size(), 1U);
    EXPECT_EQ(alike[0].a, 0U);
    EXPECT_EQ(alike[0].b, 1U);
    EXPECT_GT(alike[0].share, 0.95);
}

TEST(Similarity, StarterCodeIsDiscounted) {
    const std::string stub = build::read_file(root + "/exercises/03_scaled_scores/scaled_scores.cpp");
    EXPECT_TRUE(find_alike({{"a", prints(stub)}, {"b", prints(stub)}}, prints(stub)).empty());
}

/// An expression that no other number gets.
std::string of_ones_own(unsigned number) {
    std::mt19937 random(number);
    std::string text = "int a = b";
    for (int i = 0; i < 300; ++i) text += std::string(" ") + "+-*/%&|^"[random() % 8] + " c";
    return text + ";\n";
}

TEST(Similarity, WhatManyShareIsNoSign) {
    const std::string common = solution("03_scaled_scores/scaled_scores.cpp");
    std::vector<Document> documents;
    for (unsigned i = 0; i < 30; ++i) documents.push_back({std::to_string(i), prints(common + of_ones_own(i))});
    EXPECT_TRUE(find_alike(documents, {}).empty());
}

TEST(Similarity, ARingIsFoundHoweverMuchOfTheClassItIs) {
    const std::string original = solution("03_scaled_scores/scaled_scores.cpp");
    for (const std::size_t members : {2U, 5U, 9U, 30U}) {
        std::vector<Document> documents{{"alone", prints(solution("02_head_splitting/head_splitting.cpp"))}};
        for (std::size_t i = 0; i < members; ++i)
            documents.push_back({std::to_string(i), prints("int a = " + std::string(i % 4, '-') + "1;\n" + original)});
        const auto alike = find_alike(documents, {});
        EXPECT_EQ(alike.size(), members - 1);
        for (const Alike& pair : alike) EXPECT_EQ(pair.a, 1U);
    }
}

TEST(Similarity, ACopyIsFoundWhateverItStandsBehind) {
    const std::string original = solution("03_scaled_scores/scaled_scores.cpp");
    const std::string code = std::regex_replace(original, std::regex("#include[^\n]*|//[^\n]*"), "");
    const std::string line = std::regex_replace(code, std::regex("\n"), " ");
    for (const std::string& hidden :
         {"#define OWN " + line + "\nOWN\n", "%:define OWN " + line + "\nOWN\n", "int a = 1'0; " + line + "\n",
          "auto a = R\"(\")\"; " + line + "\n", "#define OWN \\\n" + line + "\nOWN\n"}) {
        const auto alike = find_alike({{"a", prints(original)}, {"b", prints(hidden)}}, {});
        EXPECT_EQ(alike.size(), 1U) << hidden.substr(0, 20);
    }
}

TEST(Similarity, WhateverTheTextItEnds) {
    for (const char* text : {"", "\"", "'", "/*", "#", "\\", "//", "\"\\", "\xff\xfe"}) tokens_of(text);
}

}  // namespace
}  // namespace headway::classroom
