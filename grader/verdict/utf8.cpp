#include "verdict/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <iterator>

namespace headway::verdict {
namespace {

struct Lead {
    std::size_t length;  ///< of the whole sequence; 0: no sequence begins so
    char32_t payload;    ///< the bits that the first byte holds
    char32_t smallest;   ///< below this the sequence is overlong, which filters of control characters trip over
};

Lead lead_of(unsigned char byte) {
    if (byte < 0x80) return {1, byte, 0};
    if ((byte & 0xE0U) == 0xC0) return {2, byte & 0x1FU, 0x80};
    if ((byte & 0xF0U) == 0xE0) return {3, byte & 0x0FU, 0x800};
    if ((byte & 0xF8U) == 0xF0) return {4, byte & 0x07U, 0x10000};
    return {0, 0, 0};
}

bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

struct Range {
    char32_t first, last;
};

/// Sorted. Unicode 15; see is_hidden().
constexpr std::array<Range, 21> hidden = {
    {{0x00, 0x1F},        {0x7F, 0x9F},     {0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},
     {0x115F, 0x1160},    {0x17B4, 0x17B5}, {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
     {0x2060, 0x206F},    {0x3164, 0x3164}, {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
     {0xFFF0, 0xFFFB},    {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
     {0x10FFFE, 0x10FFFF}}};

}  // namespace

char32_t take_code_point(std::string_view& text) {
    const Lead lead = lead_of(static_cast<unsigned char>(text.front()));
    char32_t value = lead.payload;
    bool valid = lead.length > 0 && lead.length <= text.size();
    for (std::size_t i = 1; valid && i < lead.length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        valid = (byte & 0xC0U) == 0x80;
        value = (value << 6U) | (byte & 0x3FU);
    }
    valid = valid && value >= lead.smallest && value <= 0x10FFFF && !is_surrogate(value);
    text.remove_prefix(valid ? lead.length : 1);
    return valid ? value : replacement_character;
}

void append_utf8(std::string& text, char32_t c) {
    const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | ((c >> shift) & 0x3FU)); };
    if (c < 0x80) {
        text += static_cast<char>(c);
    } else if (c < 0x800) {
        text += static_cast<char>(0xC0U | (c >> 6U));
        tail(0);
    } else if (c < 0x10000) {
        text += static_cast<char>(0xE0U | (c >> 12U));
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xF0U | (c >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::string valid_utf8(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) append_utf8(text, take_code_point(bytes));
    return text;
}

bool is_hidden(char32_t c) {
    if (c >= 0x20 && c < 0x7F) return false;  // nearly all text
    const auto after = std::ranges::upper_bound(hidden, c, {}, &Range::first);
    return after != hidden.begin() && c <= std::prev(after)->last;
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
