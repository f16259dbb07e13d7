#include "terminal/shell_words.hpp"

#include <gtest/gtest.h>

namespace headway::report {
namespace {

TEST(ShellWords, ArePlainWhereTheyCanBe) {
    EXPECT_EQ(shell_words({"headway", "grade", "03", "--json=a/b.json"}), "headway grade 03 --json=a/b.json");
}

TEST(ShellWords, AreOneWordWhateverIsInThem) {
    EXPECT_EQ(shell_word(""), "''");
    EXPECT_EQ(shell_word("two words"), "'two words'");
    EXPECT_EQ(shell_word("it's; rm $x\n"), "'it'\\''s; rm $x\n'");
    EXPECT_EQ(shell_word("~root"), "'~root'");
}

}  // namespace
}  // namespace headway::report
