#include "verdict/letters.hpp"

#include "verdict/utf8.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

namespace headway::verdict {

bool is_of_a_word(char32_t c) {
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
        case UTF8PROC_CATEGORY_ND:
            return !is_hidden(c);
        default:
            return is_mark(c) && !is_hidden(c);
    }
}

bool is_mark(char32_t c) {
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME;
}

std::string composed(std::string_view bytes) {
    utf8proc_uint8_t* text = nullptr;
    const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()),
                                     static_cast<utf8proc_ssize_t>(bytes.size()), &text,
                                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(text, &std::free);
    if (length < 0) return std::string(bytes);
    return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)};
}

}  // namespace headway::verdict
