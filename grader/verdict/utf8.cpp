#include "verdict/utf8.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

#include <utf8proc.h>

namespace headway::verdict {
namespace {

/// Of the 34 at the end of each plane and in U+FDD0: never text.
bool is_noncharacter(char32_t c) { return (c & 0xFFFEU) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF); }

}  // namespace

char32_t take_code_point(std::string_view& text) {
    utf8proc_int32_t value = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &value);
    text.remove_prefix(length > 0 ? static_cast<std::size_t>(length) : 1);
    return length > 0 ? static_cast<char32_t>(value) : replacement_character;
}

void append_utf8(std::string& text, char32_t c) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes.data());
    text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
}

std::string valid_utf8(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) append_utf8(text, take_code_point(bytes));
    return text;
}

std::string beginning_of(std::string text, std::size_t most_bytes) {
    if (text.size() <= most_bytes) return text;
    constexpr std::size_t longest_code_point = 4;
    const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80; };
    std::size_t end = most_bytes;
    while (end > 0 && most_bytes - end < longest_code_point && continues(end)) --end;
    text.resize(end);
    return text + "...";
}

bool is_hidden(char32_t c) {
    if (c >= 0x20 && c < 0x7F) return false;  // nearly all text
    const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
    switch (property->category) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return true;
        default:
            return property->ignorable != 0 || is_noncharacter(c);
    }
}

std::string spelled_out(char32_t c) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), c < 0x100 ? "\\x%02x" : "\\u%04x", static_cast<unsigned>(c));
    return text.data();
}

std::string showable(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) {
        const char32_t c = take_code_point(bytes);
        if (c == U'\r') {
            if (!bytes.starts_with('\n')) text += '\n';
        } else if (c == U'\n' || c == U'\t' || !is_hidden(c)) {
            append_utf8(text, c);
        } else {
            text += spelled_out(c);
        }
    }
    return text;
}

}  // namespace headway::verdict
