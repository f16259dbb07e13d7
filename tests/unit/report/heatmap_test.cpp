#include "report/heatmap.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <sstream>

#include "terminal/cells.hpp"

namespace headway::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Right weights look at one key each, yours at all alike.
verdict::Window flat_weights() {
    return {{"query", "key"}, {2, 3}, {0, 0}, {{2, 3}, {1, 0, 0, 0, 0, 1}}, {{2, 3}, {0.34, 0.33, 0.33, 0, 0, 1}},
            {0, 1, 2}};
}

std::string shown(const verdict::Window& window, const TerminalStyle& style = {}) {
    Page page(style);
    show_heatmap(page, 6, window);
    return page.take();
}

TEST(Heatmap, ShowsYoursExpectedAndTheirDifference) {
    EXPECT_EQ(shown(flat_weights()),
              "      one row a query, one column a key:\n"
              "      yours        expected     difference\n"
              "      ░░░░░░       ██····       ██▒▒▒▒\n"
              "      ····██       ····██\n"
              "      · 0 or less, █ 1 or more; difference: █ 0.66\n");
}

TEST(Heatmap, IsDrawnInLettersWhereThereIsNothingElse) {
    EXPECT_THAT(shown(flat_weights(), {.unicode = false}), HasSubstr("::::::       @@....       @@++++"));
}

TEST(Heatmap, ColoursOnlyWhatIsWrong) {
    EXPECT_THAT(shown(flat_weights(), {.colour = true}), HasSubstr("\x1b[31m░░░░░░\x1b[0m"));
    EXPECT_THAT(shown(flat_weights()), Not(HasSubstr("\x1b")));
}

TEST(Heatmap, SaysWhatIsNotANumber) {
    verdict::Window window = flat_weights();
    window.yours.values[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(shown(window), HasSubstr("!!░░░░"));
    EXPECT_THAT(shown(window), HasSubstr("! NaN or infinite"));
}

TEST(Heatmap, SaysWhichPartOfALongMatrixItShows) {
    verdict::Window window = flat_weights();
    window.shape = {2, 150};
    window.first = {0, 106};
    EXPECT_THAT(shown(window), HasSubstr("      one row a query, one column a key, columns 106 to 108 of 150:\n"));
    window.shape = {125, 3};
    window.first = {61, 0};
    EXPECT_THAT(shown(window), HasSubstr("one column a key, rows 61 to 62 of 125:\n"));
    window = {{"feature"}, {20}, {4}, {{1, 3}, {1, 0, 0}}, {{1, 3}, {0, 0, 1}}, {0, 2}};
    EXPECT_THAT(shown(window), HasSubstr("one column a feature, columns 4 to 6 of 20:\n"));
}

TEST(Heatmap, ARowAsWideAsThePageIsWhole) {
    // 6 before three blocks of 22, and 3 between them: 78 of 80.
    verdict::Window window{{"query", "key"}, {1, 11}, {0, 0}, {{1, 11}, {}}, {{1, 11}, {}}, {0}};
    window.expected.values.assign(11, 0.25);
    window.yours.values.assign(11, 0.5);
    EXPECT_THAT(shown(window), Not(HasSubstr("…")));
}

TEST(Heatmap, FitsIntoEightyColumns) {
    verdict::Window window{{"b", "query", "key"}, {3, 16, 16}, {1, 0, 0}, {{16, 16}, {}}, {{16, 16}, {}}, {5}};
    window.expected.values.assign(256, 0.25);
    window.yours.values.assign(256, 0.5);
    std::istringstream lines(shown(window));
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(columns(safe_line({{line}}, Alphabet::unicode)), 80U) << line;
}

}  // namespace
}  // namespace headway::report
