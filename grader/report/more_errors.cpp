#include "report/more_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace

std::string more_errors_in_words(const std::vector<CompilerMessage>& errors, const Place& place) {
    const std::string first = kind_and_name(errors.front());
    const auto other = std::find_if(errors.begin() + 1, errors.end(),
                                    [&](const CompilerMessage& error) { return kind_and_name(error) != first; });
    const bool is_one = errors.size() == 2;
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
