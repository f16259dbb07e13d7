#include "terminal/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "report/matrices.hpp"

namespace headway::report {
namespace {

std::string matrices(std::optional<verdict::Numbers> yours, std::optional<verdict::Numbers> expected,
                     std::size_t width = 80) {
    Page page({.width = width});
    verdict::Failure failure;
    failure.yours = std::move(yours);
    failure.expected = std::move(expected);
    show_numbers(page, 0, failure);
    return page.take();
}

TEST(Number, IsShort) {
    EXPECT_EQ(number(0.287124), "0.2871");
    EXPECT_EQ(number(2e-6, 2), "2e-6");
    EXPECT_EQ(number(123456), "123456");
    EXPECT_EQ(number(1.5e10), "1.5e10");
    EXPECT_EQ(number(-0.0), "-0");
    EXPECT_EQ(number(NAN), "NaN");
    EXPECT_EQ(number(-INFINITY), "-inf");
}

TEST(ToldApart, HasDigitsEnoughToSeeTheDifference) {
    const auto both = [](double yours, double expected) {
        const TwoNumbers texts = told_apart(yours, expected);
        return texts.yours + " " + texts.expected;
    };
    EXPECT_EQ(both(0.287124, 0.312098), "0.2871 0.3121");
    EXPECT_EQ(both(0.2500001, 0.25), "0.2500001 0.25");
    EXPECT_EQ(both(1, 1), "1 1");
    EXPECT_EQ(both(NAN, 0.5), "NaN 0.5");
    EXPECT_EQ(both(1e300, -1e300), "1e300 -1e300");
}

TEST(Shape, LooksLikeATuple) {
    EXPECT_EQ(shape_text({2, 3}), "(2, 3)");
    EXPECT_EQ(shape_text({4}), "(4,)");
    EXPECT_EQ(shape_text({}), "()");
}

TEST(Matrices, StandBesideEachOther) {
    EXPECT_EQ(matrices({{{2, 2}, {0.5, 1, -0.25, 0}}}, {{{2, 2}, {0.5, 1, 0.25, 0}}}),
              "yours               expected\n"
              " 0.5000   1.0000    0.5000  1.0000\n"
              "-0.2500   0.0000    0.2500  0.0000\n");
}

TEST(Matrices, OfABatchAreSetApart) {
    EXPECT_EQ(matrices({{{2, 1, 2}, {1, 2, 3, 4}}}, {{{2, 1, 2}, {1, 2, 3, 5}}}),
              "yours    expected\n"
              "1  2     1  2\n"
              "\n"
              "3  4     3  5\n");
}

TEST(Matrices, WithOtherShapesSaySo) {
    EXPECT_EQ(matrices({{{3}, {1, 2, 3}}}, {{{1, 2}, {1, 2}}}),
              "yours (3,)    expected (1, 2)\n"
              "1  2  3       1  2\n");
    EXPECT_EQ(matrices({{{7, 1}, std::vector<double>(7)}}, {{{1, 7}, std::vector<double>(7)}}),
              "yours has shape (7, 1), expected (1, 7)\n");
}

TEST(Matrices, ThatAreLargeOrContradictThemselvesAreNotShown) {
    EXPECT_EQ(matrices({{{7, 7}, std::vector<double>(49)}}, {{{7, 7}, std::vector<double>(49, 1)}}), "");
    EXPECT_EQ(matrices({{{2, 2}, {1}}}, std::nullopt), "");
    EXPECT_EQ(matrices({{{0}, {}}}, std::nullopt), "");
}

TEST(Matrices, ShowDigitsEnoughToSeeTheDifference) {
    EXPECT_EQ(matrices({{{2}, {0.2500001, 0.5}}}, {{{2}, {0.25, 0.5}}}),
              "yours                   expected\n"
              "0.2500001  0.5000000    0.2500000  0.5000000\n");
}

TEST(Matrices, StandBelowEachOtherWhereThereIsNoRoom) {
    EXPECT_EQ(matrices({{{6}, {1.5, 2, 3, 4, 5, 6}}}, {{{6}, {1.5, 2, 3, 4, 5, 7}}}, 50),
              "yours\n"
              "1.5000  2.0000  3.0000  4.0000  5.0000  6.0000\n"
              "expected\n"
              "1.5000  2.0000  3.0000  4.0000  5.0000  7.0000\n");
}

TEST(Matrices, MarkWhatDiffersInColour) {
    Page page({.colour = true});
    verdict::Failure failure;
    failure.yours = verdict::Numbers{{2}, {1, 2}};
    failure.expected = verdict::Numbers{{2}, {1, 3}};
    show_numbers(page, 0, failure);
    EXPECT_NE(page.take().find("1  \x1b[31m2\x1b[0m"), std::string::npos);
}

}  // namespace
}  // namespace headway::report
