#include "verify/changed_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace headway::cli {
namespace {

/// Characters [begin, end) of the base, and what comes in their place.
struct Place {
    std::size_t begin;
    std::size_t end;
    std::string_view text;
    std::string what;  ///< for messages
};

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

Place place_of(const std::string& base, const Edit& edit) {
    if (edit.was.empty()) throw std::invalid_argument("an edit needs a `was`, the text that it changes");
    if (const std::size_t times = count(base, edit.was); times != 1)
        throw std::invalid_argument(fmt::format("this stands {} times in the base, not once; take {}:\n{}", times,
                                                times == 0 ? "it from there" : "more of the text around it", edit.was));
    const std::size_t begin = base.find(edit.was);
    return {begin, begin + edit.was.size(), edit.is, "an edit"};
}

/// The text's lines, without their ends.
std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

bool ends_with_any(std::string_view line, std::string_view characters) {
    return !line.empty() && characters.find(line.back()) != std::string_view::npos;
}

/// Whether the line names the function as its declaration does: after a type at most, and not within a statement.
bool declares(std::string_view line, std::string_view name) {
    const std::size_t indent = indentation(line);
    if ((indent != 0 && indent != 4) || line.substr(indent).starts_with("//")) return false;
    const std::size_t at = line.find(fmt::format("{}(", name));
    if (at == std::string_view::npos) return false;
    const std::string_view before = line.substr(0, at);
    if (before.find_first_of("=(;") != std::string_view::npos || before.substr(indent).starts_with("return"))
        return false;
    if (before.empty()) return true;
    const char last = before.back();
    return std::isalnum(static_cast<unsigned char>(last)) == 0 && last != '_' && last != ':' && last != '~';
}

/// Lines [first, end) of the definition that begins in this line; none if it is a declaration or a call.
std::optional<std::pair<std::size_t, std::size_t>> definition(const std::vector<std::string_view>& lines,
                                                              std::size_t line) {
    std::size_t end = line;
    while (end < lines.size() && !ends_with_any(lines[end], "{};")) ++end;
    if (end == lines.size() || lines[end].ends_with(';')) return std::nullopt;
    if (lines[end].ends_with('{')) {
        const std::string close = std::string(indentation(lines[line]), ' ') + "}";
        while (end < lines.size() && lines[end] != close) ++end;
        if (end == lines.size()) return std::nullopt;
    }
    const auto belongs_below = [](std::string_view text) {
        const std::string_view code = text.substr(indentation(text));
        return code.starts_with("//") || code.starts_with("template <");
    };
    std::size_t first = line;
    while (first > 0 && belongs_below(lines[first - 1])) --first;
    return std::pair(first, end + 1);
}

Place place_of(const std::string& base, const std::string& function, const std::string& replacement) {
    const std::vector<std::string_view> lines = lines_of(base);
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (declares(lines[i], function))
            if (const auto whole = definition(lines, i)) found.push_back(*whole);
    if (found.size() != 1)
        throw std::invalid_argument(
            fmt::format("the base defines {} {} times, not once; use an edit instead", function, found.size()));
    const auto [first, end] = found.front();
    const auto begin = static_cast<std::size_t>(lines[first].data() - base.data());
    const auto last = static_cast<std::size_t>(lines[end - 1].data() - base.data()) + lines[end - 1].size();
    return {begin, last, replacement, function};
}

}  // namespace

std::string changed_program(const std::string& base, const Changes& changes) {
    std::vector<Place> places;
    for (const Edit& edit : changes.edits) places.push_back(place_of(base, edit));
    for (const auto& [function, replacement] : changes.replaces)
        places.push_back(place_of(base, function, replacement));
    std::ranges::sort(places, {}, &Place::begin);
    std::string program;
    std::size_t done = 0;
    for (const Place& place : places) {
        if (place.begin < done)
            throw std::invalid_argument(fmt::format("{} overlaps with another change; make one of both", place.what));
        program.append(base, done, place.begin - done).append(place.text);
        done = place.end;
    }
    return program.append(base, done);
}

}  // namespace headway::cli
