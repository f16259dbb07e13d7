#include "intake/student_id.hpp"

#include "verdict/letters.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>

namespace headway::intake {
namespace {

/// With an ending, also a name of a file.
constexpr std::size_t longest_id = 100;

bool stays(char32_t c) {
    return verdict::is_of_a_word(c) ||
           (c < 0x80 && std::string_view("._@+-").find(static_cast<char>(c)) != std::string_view::npos);
}

/// A mark in front has no letter that it stands on, and programs take - for an option and . for something hidden.
bool may_begin(std::string_view id) {
    const char32_t first = verdict::take_code_point(id);
    return first == U'_' || (verdict::is_of_a_word(first) && !verdict::is_mark(first));
}

std::string escaped(std::string_view name) {
    std::string id;
    const std::string text = verdict::composed(name);
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view bytes = rest;
        const char32_t c = verdict::take_code_point(rest);
        bytes.remove_suffix(rest.size());
        if (stays(c))
            id += bytes;
        else if (c == U' ')
            id += '~';
        else
            for (const char byte : bytes) id += fmt::format("={:02X}", static_cast<unsigned char>(byte));
    }
    return id;
}

}  // namespace

std::string student_of(std::string_view name) {
    std::string id = escaped(name);
    return is_usable_id(id) ? id : row_of(name);
}

std::string id_meant_by(const std::string& text) {
    const bool is_row = text.size() > 1 && text.starts_with('\'') && text.ends_with('\'');
    return is_row || is_usable_id(text) ? text : student_of(text);
}

std::string row_of(std::string_view name) { return "'" + verdict::showable(name) + "'"; }

bool is_usable_id(const std::string& id) {
    if (id.empty() || id.size() > longest_id || !may_begin(id) || verdict::composed(id) != id) return false;
    for (std::string_view rest = id; !rest.empty();)
        if (const char32_t c = verdict::take_code_point(rest); !stays(c) && c != U'~' && c != U'=') return false;
    return true;
}

}  // namespace headway::intake
