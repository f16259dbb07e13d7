#include "report/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace headway::report {
namespace {

constexpr std::size_t most_lines = 8;

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool contains(std::string_view line, std::string_view part) { return line.find(part) != std::string_view::npos; }

/// As g++, clang++ and the linkers write it.
bool is_error(std::string_view line) {
    return contains(line, "error: ") || contains(line, "undefined reference") || contains(line, "undefined symbol") ||
           contains(line, "multiple definition");
}

bool ends_the_error(std::string_view line) {
    constexpr std::array<std::string_view, 9> others = {"note: ",           "warning: ",          "required from",
                                                        "required by",      "In instantiation",   "In substitution",
                                                        "In file included", "In member function", "In function"};
    return is_error(line) || std::ranges::any_of(others, [&](std::string_view other) { return contains(line, other); });
}

}  // namespace

std::string first_error(std::string_view diagnostics) {
    const std::vector<std::string_view> lines = lines_of(diagnostics);
    auto at = std::ranges::find_if(lines, is_error);
    if (at == lines.end()) at = lines.begin();
    std::string text;
    for (std::size_t taken = 0; at != lines.end() && taken < most_lines; ++at, ++taken) {
        if (taken > 0 && ends_the_error(*at)) break;
        text += std::string(*at) + '\n';
    }
    return text;
}

}  // namespace headway::report
