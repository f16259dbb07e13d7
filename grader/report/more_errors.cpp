#include "report/more_errors.hpp"

#include "verdict/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

/// What an error quotes: "split_heads" and "headway::given::split_heads".
std::vector<std::string> quoted(const std::string& text) {
    std::vector<std::string> all;
    std::size_t begin = text.find('\'');
    while (begin != std::string::npos) {
        const std::size_t end = text.find('\'', begin + 1);
        if (end == std::string::npos) break;
        all.push_back(text.substr(begin + 1, end - begin - 1));
        begin = text.find('\'', end + 1);
    }
    return all;
}

/// The text without the names. The longest go first: one may be a part of another.
std::string without_names(std::string text, std::vector<std::string> names) {
    std::ranges::sort(names, std::ranges::greater{}, &std::string::size);
    for (const std::string& name : names) {
        if (name.empty()) continue;
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
            text.erase(at, name.size());
    }
    return text;
}

/// Whether both say the same of two names that are not declared: then neither error comes of the other.
bool is_of_the_same_kind(const CompilerMessage& one, const CompilerMessage& other) {
    const std::vector<std::string> names = quoted(one.text), other_names = quoted(other.text);
    if (one.advice.empty() || one.advice == verdict::within_a_library || names.empty() || other_names.empty())
        return false;
    return one.text.find("was not declared") != std::string::npos && one.at.file == other.at.file &&
           without_names(one.text, names) == without_names(other.text, other_names) &&
           without_names(one.advice, names) == without_names(other.advice, other_names);
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
    if (is_of_the_same_kind(first, error)) return false;
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
    std::vector<std::string> numbers;
    for (const int line : lines) numbers.push_back(std::to_string(line));
    return fmt::format("; the same hint is for line{} {}", lines.size() == 1 ? "" : "s",
                       verdict::listed(std::move(numbers), most_lines));
}

/// " of this kind: 'merge_heads' at line 57 and 'softmax' at line 60", if all other errors are of the first one's kind
/// and not all about the same name; else empty.
std::string with_names_of_the_kind(const std::vector<CompilerMessage>& errors) {
    constexpr std::size_t most_names = 8;
    const CompilerMessage& first = errors.front();
    const auto begin = errors.begin() + 1;
    if (!std::all_of(begin, errors.end(), [&](const CompilerMessage& one) { return is_of_the_same_kind(first, one); }))
        return {};
    if (std::all_of(begin, errors.end(), [&](const CompilerMessage& one) { return one.text == first.text; })) return {};
    std::vector<std::string> names;
    std::transform(begin, errors.end(), std::back_inserter(names), [](const CompilerMessage& one) {
        return fmt::format("'{}' at line {}", quoted(one.text).front(), one.at.line);
    });
    return " of this kind: " + verdict::listed(std::move(names), most_names);
}

}  // namespace

std::string more_errors_in_words(const std::vector<CompilerMessage>& errors, const Place& place) {
    const CompilerMessage& first = errors.front();
    const auto other = std::find_if(errors.begin() + 1, errors.end(),
                                    [&](const CompilerMessage& error) { return says_something_else(error, first); });
    const bool is_one = errors.size() == 2;
    const std::string kind = with_names_of_the_kind(errors);
    if (!kind.empty()) return fmt::format("… and {} more error{}{}", errors.size() - 1, is_one ? "" : "s", kind);
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
