#pragma once

#include <string>
#include <string_view>

/// What Unicode says of the characters of names.
namespace headway::verdict {

/// Whether it is a letter, a mark on one, or a decimal digit, of any script, and can be seen.
bool is_of_a_word(char32_t code_point);

/// Whether it is a mark on a letter, such as a combining accent.
bool is_mark(char32_t code_point);

/// In Unicode's composed form (NFC), in which a letter and its accent are one: what looks the same is the same. What is
/// not UTF-8 stays as it is.
std::string composed(std::string_view bytes);

}  // namespace headway::verdict
