// What is alike in more than the task explains.
#include "classroom/similarity.hpp"

#include "submission/digest.hpp"

#include <gtest/gtest.h>

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
    EXPECT_EQ(tokens_of("\"// no comment\" 'x' #"), (std::vector<std::string>{"text", "text"}));
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

TEST(Similarity, WhatManyShareIsNoSign) {
    const Fingerprints common = prints(solution("03_scaled_scores/scaled_scores.cpp"));
    EXPECT_TRUE(find_alike(std::vector<Document>(30, {"x", common}), {}).empty());
}

TEST(Similarity, WhateverTheTextItEnds) {
    for (const char* text : {"", "\"", "'", "/*", "#", "\\", "//", "\"\\", "\xff\xfe"}) tokens_of(text);
}

}  // namespace
}  // namespace headway::classroom
