#include "utf8.hpp"

#include <cstddef>

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

}  // namespace headway::verdict
