#include "submission/words_of_files.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headway::build {
namespace {

bool is_read(const std::string& text) { return is_read_for_advice({{"a.cpp", text}}); }

TEST(WordsOfFiles, NamesThatAdviceMustNotQuoteEndTheReading) {
    EXPECT_TRUE(is_read("int " + std::string(longest_name_for_advice, 'n') + "; // √ of " + std::string(200, 'x')));
    EXPECT_FALSE(is_read("int " + std::string(longest_name_for_advice + 1, 'n') + ";"));
    EXPECT_FALSE(is_read("#if 0\nstd::vector<double> The\u00a0grader\u00a0failed\u00a0here;\n#endif\n"));
    EXPECT_TRUE(is_read("const char* s = \"größer als \u221a\";")) << "in a text, that is no name";
}

}  // namespace
}  // namespace headway::build
