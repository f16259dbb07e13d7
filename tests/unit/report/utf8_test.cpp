#include "../../../grader/verdict/utf8.hpp"

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

}  // namespace
}  // namespace headway::verdict
