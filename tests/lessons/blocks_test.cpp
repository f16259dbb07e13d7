// How computed numbers get into a lesson, and how a lesson that disagrees is found.
#include <format.hpp>
#include <markers.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace headway::lessons {
namespace {

Blocks sample() {
    Blocks blocks;
    blocks.text("01/table", "a  1\nb  2\n");
    blocks.number("01/share", "0.955");
    return blocks;
}

constexpr const char* right =
    "Text.\n\n<!-- computed: 01/table -->\n```text\na  1\nb  2\n```\n<!-- end -->\n\n"
    "A share of <!-- computed: 01/share -->0.955<!-- end -->.\n";

TEST(Rewrite, LeavesALessonThatAgreesAsItIs) {
    const Rewritten result = rewrite("lesson.md", right, sample());
    EXPECT_EQ(result.page, right);
    EXPECT_TRUE(result.disagreements.empty());
    EXPECT_TRUE(result.mistakes.empty());
    EXPECT_EQ(result.used, (std::set<std::string>{"01/share", "01/table"}));
}

TEST(Rewrite, NamesFileLineBlockAndTheLineThatDiffers) {
    std::string page = right;
    page.replace(page.find("b  2"), 4, "b  3");
    const Rewritten result = rewrite("lesson.md", page, sample());
    ASSERT_EQ(result.disagreements.size(), 1U);
    EXPECT_EQ(result.disagreements[0],
              "lesson.md:3: \"01/table\" is not what is computed\n    lesson:   b  3\n    computed: b  2");
    EXPECT_EQ(result.page, right);
}

TEST(Rewrite, MendsNumbersInSentences) {
    std::string page = right;
    page.replace(page.find("0.955"), 5, "0.9");
    const Rewritten result = rewrite("lesson.md", page, sample());
    EXPECT_EQ(result.disagreements.size(), 1U);
    EXPECT_EQ(result.page, right);
}

TEST(Rewrite, RefusesNamesThatNothingComputes) {
    const Rewritten result = rewrite("lesson.md", "A <!-- computed: 01/typo -->7<!-- end -->.\n", sample());
    ASSERT_EQ(result.mistakes.size(), 1U);
    EXPECT_EQ(result.mistakes[0], "lesson.md:1: nothing computes \"01/typo\"");
}

TEST(Rewrite, RefusesABlockWithoutAnEnd) {
    const std::string open = "<!-- computed: 01/table -->\n\nA <!-- computed: 01/share -->0.955<!-- end -->.\n";
    const Rewritten result = rewrite("lesson.md", open, sample());
    EXPECT_EQ(result.mistakes.size(), 1U);
    EXPECT_EQ(result.page, open);
}

TEST(Rewrite, RefusesATableInASentenceAndANumberAtTheStartOfALine) {
    EXPECT_EQ(rewrite("l.md", "A <!-- computed: 01/table --><!-- end -->", sample()).mistakes.size(), 1U);
    EXPECT_EQ(rewrite("l.md", "<!-- computed: 01/share --><!-- end --> of", sample()).mistakes.size(), 1U);
}

TEST(Blocks, RefuseANameThatIsComputedTwice) {
    Blocks blocks = sample();
    EXPECT_THROW(blocks.number("01/share", "1"), std::logic_error);
}

TEST(Fixed, ShowsNoNegativeZeroAndSpellsWhatIsNoNumber) {
    EXPECT_EQ(fixed(-0.0001, 3), "0.000");
    EXPECT_EQ(fixed(-1.5001, 3), "-1.500");
    EXPECT_EQ(fixed(std::numeric_limits<double>::quiet_NaN(), 3), "NaN");
    EXPECT_EQ(fixed(-std::numeric_limits<double>::infinity(), 3), "-inf");
}

TEST(Fixed, RefusesWhatAnotherMachineCouldRoundTheOtherWay) {
    EXPECT_THROW(fixed(0.12350001, 3), std::runtime_error);
    EXPECT_EQ(fixed(0.12350001, 4), "0.1235");
}

TEST(Tables, CountCharactersNotBytes) {
    EXPECT_EQ(grid({{"√d", "1"}, {"xyz", "22"}}), "√d    1\nxyz  22\n");
    EXPECT_EQ(beside({"·\n··\n", "a\nb\n"}), "·       a\n··      b\n");
}

TEST(Numbers, AreGroupedInThousands) {
    EXPECT_EQ(grouped(7), "7");
    EXPECT_EQ(grouped(123), "123");
    EXPECT_EQ(grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace headway::lessons
