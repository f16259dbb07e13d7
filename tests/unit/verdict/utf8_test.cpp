#include "verdict/utf8.hpp"

#include <gtest/gtest.h>

namespace headway::verdict {
namespace {

TEST(Utf8, ValidTextStaysAsItIs) {
    for (const std::string text :
         {"", "plain", "√head_dim · q·kᵀ", "漢字", "🧠", "\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff"}) {
        EXPECT_EQ(valid_utf8(text), text);
    }
    EXPECT_EQ(valid_utf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Utf8, EachInvalidByteIsReplaced) {
    EXPECT_EQ(valid_utf8("a\xff"
                         "b"),
              "a\uFFFDb");
    EXPECT_EQ(valid_utf8("\x80"), "\uFFFD") << "continuation without a lead";
    EXPECT_EQ(valid_utf8("\xe2\x82"), "\uFFFD\uFFFD") << "cut off";
    EXPECT_EQ(valid_utf8("\xc3("), "\uFFFD(") << "what follows is not swallowed";
}

TEST(Utf8, WhatDecodersDisagreeAboutIsInvalid) {
    EXPECT_EQ(valid_utf8("\xc0\x9b"), "\uFFFD\uFFFD") << "overlong ESC";
    EXPECT_EQ(valid_utf8("\xe0\x80\x9b"), "\uFFFD\uFFFD\uFFFD") << "overlong ESC in three bytes";
    EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "surrogate";
    EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "above U+10FFFF";
}

TEST(Utf8, TheBeginningOfATextEndsBetweenCodePoints) {
    EXPECT_EQ(beginning_of("plain", 5), "plain");
    EXPECT_EQ(beginning_of("plainer", 5), "plain...");
    EXPECT_EQ(beginning_of("a√d", 2), "a...");
    EXPECT_EQ(beginning_of("a√d", 3), "a...");
    EXPECT_EQ(beginning_of("a√d", 4), "a√...");
    EXPECT_EQ(beginning_of(std::string(100, '\x80'), 50).size(), 46U + 3U) << "no text at all";
    EXPECT_EQ(beginning_of("", 0), "");
}

TEST(Showable, WhatDrivesTerminalsIsSpelledOut) {
    EXPECT_EQ(showable("\x1b[31m \u009b2J \x7f \u0085"), "\\x1b[31m \\x9b2J \\x7f \\x85");
    EXPECT_EQ(showable(std::string_view("\0\b", 2)), "\\x00\\x08");
}

TEST(Showable, WhatReordersOrHidesIsSpelledOut) {
    EXPECT_EQ(showable("\u202egnp \u2066a"), "\\u202egnp \\u2066a");
    EXPECT_EQ(showable("a\u200bb\ufeff\u00ad"), "a\\u200bb\\ufeff\\xad");
    EXPECT_EQ(showable("\u3164 \u115f \u2028 \U000E0041 \uffff"), "\\u3164 \\u115f \\u2028 \\ue0041 \\uffff");
}

TEST(Showable, LinesAndTabsStay) { EXPECT_EQ(showable("a\tb\nc\r\nd\re"), "a\tb\nc\nd\ne"); }

TEST(Showable, TextStaysAsItIsAndTwiceIsAsOnce) {
    for (const std::string text : {"", "√head_dim · q·kᵀ\u00a0✓", "漢字 größe e\u0301", "🧠", "\\x1b"})
        EXPECT_EQ(showable(text), text);
    const std::string wild = "\x1b \u202e \xff \r";
    EXPECT_EQ(showable(showable(wild)), showable(wild));
}

}  // namespace
}  // namespace headway::verdict
