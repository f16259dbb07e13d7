#pragma once

#include <string>
#include <string_view>

/// Text that comes from a submission (exception messages, what it printed) is bytes; documents are UTF-8.
namespace headway::verdict {

/// Stands for what is not UTF-8.
inline constexpr char32_t replacement_character = U'\uFFFD';

/// Takes the first code point off `text`, which is not empty. An invalid byte is taken alone.
char32_t take_code_point(std::string_view& text);

void append_utf8(std::string& text, char32_t code_point);

/// `bytes` with a U+FFFD for each byte that is not part of valid UTF-8.
std::string valid_utf8(std::string_view bytes);

}  // namespace headway::verdict
