#include "report/more_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

namespace headway::report {
namespace {

using verdict::CompilerMessage;

/// "no matching function for call to 'matmul'": without the arguments, by which two calls of one function differ.
std::string kind_and_name(const CompilerMessage& error) {
    std::string text;
    bool is_quoted = false, is_argument = false;
    for (const char c : error.text) {
        if (c == '\'') is_quoted = !is_quoted;
        is_argument = is_quoted && (is_argument || c == '(');
        if (!is_argument) text += c;
    }
    return text;
}

/// What compilers say of a library's code may be the same mistake once more, if the line is the same.
bool is_of_the_same_line(const CompilerMessage& one, const CompilerMessage& other) {
    return one.at.file == other.at.file && one.at.line == other.at.line;
}

/// By what a student is told to do; by the compiler's words where that is nothing. A second message of a line says more
/// only if the course has a sentence of its own on it.
bool says_something_else(const CompilerMessage& error, const CompilerMessage& first) {
    if (kind_and_name(error) == kind_and_name(first)) return false;
    if (!error.advice.empty() && error.advice == first.advice) return false;
    const bool has_no_sentence = error.advice.empty() || error.advice == verdict::within_a_library;
    return !(is_of_the_same_line(error, first) && !first.advice.empty() && has_no_sentence);
}

/// "; the same hint is for lines 42 and 57": where else it is given, in the file of the first error.
std::string with_lines_of_the_hint(const std::vector<CompilerMessage>& errors) {
    constexpr std::size_t most_lines = 8;
    const CompilerMessage& first = errors.front();
    std::set<int> lines;
    if (!first.advice.empty() && first.advice != verdict::within_a_library)
        for (const CompilerMessage& error : errors)
            if (error.advice == first.advice && error.at.file == first.at.file) lines.insert(error.at.line);
    lines.erase(first.at.line);
    if (lines.empty()) return {};
    const std::size_t more = lines.size() - std::min(lines.size(), most_lines);
    std::string list;
    std::size_t told = 0;
    for (const int line : lines) {
        if (told == most_lines) break;
        const bool is_last = ++told == lines.size();
        list += (list.empty() ? "" : is_last ? " and " : ", ") + std::to_string(line);
    }
    return fmt::format("; the same hint is for line{} {}{}", lines.size() == 1 ? "" : "s", list,
                       more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

std::string more_errors_in_words(const std::vector<CompilerMessage>& errors, const Place& place) {
    const CompilerMessage& first = errors.front();
    const auto other = std::find_if(errors.begin() + 1, errors.end(),
                                    [&](const CompilerMessage& error) { return says_something_else(error, first); });
    const bool is_one = errors.size() == 2;
    const std::string also = with_lines_of_the_hint(errors);
    if (other == errors.end() && !also.empty())
        return fmt::format("… and {} more error{}{}", errors.size() - 1, is_one ? "" : "s", also);
    if (other == errors.end())
        return is_one ? "… and 1 more error; it may have the same cause"
                      : fmt::format("… and {} more errors; they may have the same cause", errors.size() - 1);
    const std::string at = place.of(other->at.file, other->at.line);
    const std::string& says = other->advice.empty() ? other->text : other->advice;
    // Of many, one that was made before may be the cause of them all.
    return is_one ? fmt::format("… and 1 more error, at {}: {}", at, says)
                  : fmt::format(
                        "… and {} more errors, which may come of the first; the next that says something else, "
                        "at {}: {}",
                        errors.size() - 1, at, says);
}

}  // namespace headway::report
