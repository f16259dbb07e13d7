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

void Blocks::picture(const std::string& name, const Picture& picture, const std::string& words) {
    // Brackets would end the alternative text early, and a line of its own is all it has.
    if (words.empty() || words.find_first_of("[]<>\n") != std::string::npos)
        throw std::logic_error("a picture needs words without brackets, in one line: " + name);
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) throw std::logic_error("a picture's name begins with its lesson: " + name);
    const std::string lesson = name.substr(0, slash);
    const std::string file = lesson + "-" + name.substr(slash + 1) + ".svg";
    add(lesson + "/picture-" + name.substr(slash + 1), Kind::block, "![" + words + "](pictures/" + file + ")");
    pictures_.emplace(file, picture.svg(words));
}

void Blocks::add(const std::string& name, Kind kind, const std::string& text) {
    if (!blocks_.emplace(name, Block{kind, text}).second) throw std::logic_error("computed twice: " + name);
}

}  // namespace headway::lessons
