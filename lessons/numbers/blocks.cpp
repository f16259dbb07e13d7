#include "blocks.hpp"

#include <stdexcept>

namespace headway::lessons {
namespace {

/// Trailing blanks would be invisible in a lesson, and editors remove them.
std::string without_trailing_blanks(const std::string& lines) {
    std::string trimmed;
    for (const char c : lines) {
        if (c == '\n') trimmed.erase(trimmed.find_last_not_of(' ') + 1);
        trimmed += c;
    }
    trimmed.erase(trimmed.find_last_not_of(" \n") + 1);
    return trimmed;
}

}  // namespace

void Blocks::text(const std::string& name, const std::string& lines) {
    add(name, Kind::block, "```text\n" + without_trailing_blanks(lines) + "\n```");
}

void Blocks::markdown(const std::string& name, const std::string& lines) {
    add(name, Kind::block, without_trailing_blanks(lines));
}

void Blocks::number(const std::string& name, const std::string& characters) {
    add(name, Kind::inline_text, characters);
}

void Blocks::add(const std::string& name, Kind kind, const std::string& text) {
    if (!blocks_.emplace(name, Block{kind, text}).second) throw std::logic_error("computed twice: " + name);
}

}  // namespace headway::lessons
