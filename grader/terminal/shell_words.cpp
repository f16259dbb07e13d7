#include "terminal/shell_words.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace headway::report {
namespace {

bool is_plain(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || std::string_view("%+,-./:=@_").find(letter) != std::string_view::npos;
}

}  // namespace

std::string shell_word(const std::string& text) {
    if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
    std::string word = "'";
    for (const char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return word + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
    return line;
}

}  // namespace headway::report
