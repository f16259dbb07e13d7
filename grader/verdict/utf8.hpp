#pragma once

#include <cstddef>
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

/// Whether a reader would not see what is there: C0 and C1 controls, which drive terminals (U+009B begins an escape
/// sequence as ESC [ does), tab and line ends included; bidirectional controls, which reorder what follows so that a
/// line can lie; line and paragraph separators; and what Unicode lets programs draw as nothing (its property
/// Default_Ignorable_Code_Point), which hides.
bool is_hidden(char32_t code_point);

/// How a hidden character is shown instead: `\x1b`, `\u202e`.
std::string spelled_out(char32_t code_point);

/// At most so many bytes of `text`, without part of a code point at the end, and "..." where that is not all.
std::string beginning_of(std::string text, std::size_t most_bytes);

/// `bytes` as every view and document may show them: valid UTF-8, hidden characters spelled out. Tabs stay, and every
/// line end is one \n. Showing twice changes nothing.
std::string showable(std::string_view bytes);

}  // namespace headway::verdict
