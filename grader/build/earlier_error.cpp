#include "build/earlier_error.hpp"

#include "build/bounded_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <regex>
#include <string_view>

namespace headway::build {
namespace {

/// The group that was found, of two.
std::string name_found(std::string_view text, const std::regex& pattern) {
    const auto match = found_in(text, pattern);
    if (!match) return {};
    return (*match)[1].matched ? (*match)[1] : (*match)[2];
}

/// "s" of "'s' was not declared in this scope".
std::string unknown_name(std::string_view text) {
    static const std::regex pattern(R"(^(?:'(\w+)' was not declared|use of undeclared identifier '(\w+)'))");
    return name_found(text, pattern);
}

/// Whether the line declares the name, perhaps behind others: "Tensor c = f(x), s = g(x);".
bool declares(const std::string& line, const std::string& name) {
    const std::vector<Word> words = words_of(line);
    const auto is = [&](std::size_t i, const char* text) { return i < words.size() && words[i].text == text; };
    int depth = 0;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (is(i, "(") || is(i, "[") || is(i, "{")) ++depth;
        if (is(i, ")") || is(i, "]") || is(i, "}")) --depth;
        if (depth != 0 || i == 0 || words[i].text != name) continue;
        const bool begins = (words[i - 1].is_name() && !is(i - 1, "return") && !is(i - 1, "throw")) || is(i - 1, ",") ||
                            is(i - 1, "&") || is(i - 1, ">");
        if (begins && ((is(i + 1, "=") && !is(i + 2, "=")) || is(i + 1, "(") || is(i + 1, "{") || is(i + 1, ";")))
            return true;
    }
    return false;
}

bool are_in_one_function(int line, int later, const WordsOfFile& file) {
    if (file.words.empty()) return false;  // it is not read
    const auto next = std::ranges::upper_bound(file.functions, line, {}, &DefinedFunction::line);
    return next == file.functions.end() || next->line > later;
}

/// "Setup" of "'… testing::Test::Setup()' is private": what a TEST finds under that name is a function of GoogleTest's.
std::string hidden_by_googletest(std::string_view text) {
    static const std::regex pattern(
        R"(testing::Test::(\w+)\([^']*' is private|'(\w+)' is a private member of 'testing::Test')");
    return name_found(text, pattern);
}

}  // namespace

void EarlierErrors::add(const verdict::CompilerMessage& message) {
    earlier_.push_back({.at = message.at,
                        .advice = message.advice,
                        .unknown = unknown_name(message.text),
                        .hidden = hidden_by_googletest(message.text)});
}

std::string EarlierErrors::advice_on(const verdict::CompilerMessage& message, WordsOfFiles& files) const {
    if (std::string advice = advice_on_hidden_name(message); !advice.empty()) return advice;
    const std::string name = unknown_name(message.text);
    if (name.empty()) return {};
    for (const Error& one : earlier_)
        if (one.at.file == message.at.file && one.at.line < message.at.line && one.unknown != name &&
            declares(one.at.text, name) && are_in_one_function(one.at.line, message.at.line, files.of(one.at.file)))
            return fmt::format("{} is declared in line {}, which has an error itself: mend that one first.", name,
                               one.at.line);
    for (const DefinedFunction& below : files.of(message.at.file).functions)
        if (below.name == name && below.line > message.at.line)
            return fmt::format("{} is defined below, in line {}, and what is used must be known above: move it up.",
                               name, below.line);
    return {};
}

/// What else is said of lines with such a name comes of that.
std::string EarlierErrors::advice_on_hidden_name(const verdict::CompilerMessage& message) const {
    if (!hidden_by_googletest(message.text).empty()) return {};
    for (const Error& one : earlier_)
        if (!one.hidden.empty() && one.at.file == message.at.file &&
            std::ranges::any_of(words_of(message.at.text), [&](const Word& word) { return word.text == one.hidden; }))
            return one.advice;
    return {};
}

}  // namespace headway::build
