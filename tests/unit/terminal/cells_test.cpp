#include "terminal/cells.hpp"

#include <gmock/gmock.h>

namespace headway::report {
namespace {

using testing::ElementsAre;

std::string text_of(const Cells& cells) {
    std::string text;
    for (const Cell& cell : cells) text += cell.glyph;
    return text;
}

std::vector<std::string> shown(std::string_view text, Alphabet alphabet = Alphabet::unicode) {
    std::vector<std::string> lines;
    for (const Cells& cells : safe_lines(text, alphabet)) lines.push_back(text_of(cells));
    return lines;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t first_width, std::size_t width) {
    std::vector<std::string> lines;
    for (const Cells& cells : wrap(safe_line({{text}}, Alphabet::unicode), first_width, width)) {
        lines.push_back(text_of(cells));
    }
    return lines;
}

TEST(SafeText, EscapeSequencesAreSpelledOut) {
    EXPECT_THAT(shown("\x1b[31mred\x1b[0m"), ElementsAre("\\x1b[31mred\\x1b[0m"));
    EXPECT_THAT(shown("\x1b]0;title\x07"), ElementsAre("\\x1b]0;title\\x07"));
    EXPECT_THAT(shown("\u009b2J"), ElementsAre("\\x9b2J")) << "the one-character form of ESC [";
    EXPECT_THAT(shown(std::string_view("\0\b\x7f", 3)), ElementsAre("\\x00\\x08\\x7f"));
}

TEST(SafeText, WhatReordersOrHidesTextIsSpelledOut) {
    EXPECT_THAT(shown("\u202egnp"), ElementsAre("\\u202egnp"));
    EXPECT_THAT(shown("a\u200bb\ufeff"), ElementsAre("a\\u200bb\\ufeff"));
    EXPECT_THAT(shown("\U000E0041"), ElementsAre("\\ue0041"));
}

TEST(SafeText, EveryLineEndIsOne) {
    EXPECT_THAT(shown("a\nb\r\nc\rd\n"), ElementsAre("a", "b", "c", "d"));
    EXPECT_THAT(shown("10%\r20%"), ElementsAre("10%", "20%")) << "nothing is overwritten";
    EXPECT_THAT(shown("a\n\nb"), ElementsAre("a", "", "b"));
    EXPECT_EQ(text_of(safe_line({{"a\nb"}}, Alphabet::unicode)), "a b");
    EXPECT_EQ(text_of(safe_line({{"a,\n"}, {"b"}}, Alphabet::unicode)), "a, b") << "between two spans";
    EXPECT_EQ(text_of(safe_line({{"a\n"}}, Alphabet::unicode)), "a");
}

TEST(SafeText, TabsBecomeSpaces) { EXPECT_THAT(shown("a\tb\t\tc"), ElementsAre("a   b       c")); }

TEST(SafeText, MarksDoNotPileUp) {
    std::string text = "e";
    for (int i = 0; i < 100; ++i) text += "\u0301";
    EXPECT_LE(shown(text).front().size(), 14);
    EXPECT_THAT(shown("\u0301e"), ElementsAre("e")) << "a mark on nothing would go to what stands before";
}

TEST(SafeText, AsciiSpellsTheCoursesSigns) {
    EXPECT_THAT(shown("q·kᵀ / √head_dim ± ∞ ≠ 1e-6…", Alphabet::ascii),
                ElementsAre("q*k^T / sqrt(head_dim) +- inf != 1e-6..."));
    EXPECT_THAT(shown("漢\xff√", Alphabet::ascii), ElementsAre("??sqrt"));
}

TEST(Columns, CountWhatATerminalShows) {
    EXPECT_EQ(columns(U'a'), 1);
    EXPECT_EQ(columns(U'√'), 1);
    EXPECT_EQ(columns(U'✗'), 1);
    EXPECT_EQ(columns(U'漢'), 2);
    EXPECT_EQ(columns(U'🧠'), 2);
    EXPECT_EQ(columns(U'\u0301'), 0);
}

TEST(Wrap, BreaksAtSpaces) {
    EXPECT_THAT(wrapped("one two three four", 9, 10), ElementsAre("one two", "three four"));
    EXPECT_THAT(wrapped("a  b", 10, 10), ElementsAre("a  b")) << "spaces within a line stay";
    EXPECT_THAT(wrapped("", 10, 10), ElementsAre(""));
}

TEST(Wrap, BreaksWordsThatAreWiderThanALine) {
    EXPECT_THAT(wrapped("ab cdefghijkl m", 4, 4), ElementsAre("ab", "cdef", "ghij", "kl m"));
    EXPECT_THAT(wrapped("漢字漢字", 5, 5), ElementsAre("漢字", "漢字")) << "two columns each";
}

TEST(Wrap, BreaksPathsBehindASlash) {
    EXPECT_THAT(wrapped("/some/path/a.cpp:100:33", 20, 20), ElementsAre("/some/path/", "a.cpp:100:33"));
    EXPECT_THAT(wrapped("at /some/path/a.cpp:100:33", 16, 16), ElementsAre("at", "/some/path/", "a.cpp:100:33"));
    EXPECT_THAT(wrapped("/some/path/a.cpp:7", 18, 18), ElementsAre("/some/path/a.cpp:7"));
    EXPECT_THAT(wrapped("a/bcdefgh", 4, 4), ElementsAre("a/", "bcde", "fgh"));
}

TEST(Wrap, NoBreakSpacesHoldTogether) {
    EXPECT_THAT(wrapped("points 7\u00A0/\u00A010", 11, 11), ElementsAre("points", "7\u00A0/\u00A010"));
}

TEST(Cut, ShowsThatSomethingIsMissing) {
    const auto cut_text = [](const std::string& text, std::size_t width, Alphabet alphabet) {
        return text_of(cut(safe_line({{text}}, alphabet), width, alphabet));
    };
    EXPECT_EQ(cut_text("abcdef", 6, Alphabet::unicode), "abcdef");
    EXPECT_EQ(cut_text("abcdef", 5, Alphabet::unicode), "abcd…");
    EXPECT_EQ(cut_text("abcdef", 5, Alphabet::ascii), "ab...");
    EXPECT_EQ(cut_text("漢字漢字", 6, Alphabet::unicode), "漢字…");
}

}  // namespace
}  // namespace headway::report
