#include "build/plain_words.hpp"

#include "build/beginners_errors.hpp"
#include "build/bounded_search.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <regex>
#include <utility>
#include <vector>

namespace headway::build {
namespace {

bool is_part_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// What is left out at the beginning of `words`: how many bytes.
std::size_t unwanted(std::string_view words) {
    for (const std::string_view one : {"headway::", "ops::", "__cxx11::"})
        if (words.starts_with(one)) return one.size();
    constexpr std::string_view exercise = "ex01::";
    if (words.size() > exercise.size() && words.starts_with("ex") && words.substr(4).starts_with("::") &&
        std::isdigit(static_cast<unsigned char>(words[2])) != 0 &&
        std::isdigit(static_cast<unsigned char>(words[3])) != 0)
        return exercise.size();
    return 0;
}

/// The same of a name that is offered in place of another one: "headway::" may be what the other lacks, but before
/// "ex01::" neither is needed.
std::size_t unwanted_of_offered(std::string_view words) {
    constexpr std::string_view course = "headway::";
    if (!words.starts_with(course) || !words.substr(course.size()).starts_with("ex")) return 0;
    const std::size_t exercise = unwanted(words.substr(course.size()));
    return exercise == 0 ? 0 : course.size() + exercise;
}

/// The other name of a type: " {aka 'long int'}", " (aka 'long')".
std::size_t also_known_as(std::string_view words) {
    for (const auto& [begin, end] : {std::pair<std::string_view, std::string_view>{" {aka '", "'}"}, {" (aka '", "')"}})
        if (words.starts_with(begin))
            if (const std::size_t at = words.find(end); at != std::string::npos) return at + end.size();
    return 0;
}

/// The curly quotes of g++, and what is no word of C++'s.
std::string in_plain_quotes(std::string_view words) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> replaced = {{{"‘class ", "'"},
                                                                                        {"‘", "'"},
                                                                                        {"’", "'"},
                                                                                        {"“", "\""},
                                                                                        {"”", "\""},
                                                                                        {"const class ", "const "},
                                                                                        {" [-fpermissive]", ""}}};
    std::string text;
    while (!words.empty()) {
        const auto* const found = std::find_if(replaced.begin(), replaced.end(),
                                               [&](const auto& one) { return words.starts_with(one.first); });
        if (found == replaced.end()) text += words.front();
        if (found != replaced.end()) text += found->second;
        words.remove_prefix(found == replaced.end() ? 1 : found->first.size());
    }
    return text;
}

/// What g++ calls an element of a std::vector: "__gnu_cxx::__alloc_traits<std::allocator<float>, float>::value_type".
std::string with_plain_elements(std::string text) {
    constexpr std::string_view begin = "__gnu_cxx::__alloc_traits<std::allocator<", end = ">::value_type";
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
        const std::size_t after = text.find(end, at), type = at + begin.size();
        const std::size_t comma = text.find(">, ", type);
        if (after == std::string::npos || comma > after) break;
        text.replace(at, after + end.size() - at, text.substr(type, comma - type));
    }
    return text;
}

struct Searched {
    std::regex words, line;
    const BeginnersError* error;
};

const std::vector<Searched>& searched() {
    static const std::vector<Searched> all = [] {
        std::vector<Searched> made;
        for (const auto& rows :
             {habits_of_other_languages(), missing_includes(), beginners_errors(), beginners_warnings()})
            for (const BeginnersError& one : rows) made.push_back({std::regex(one.words), std::regex(one.line), &one});
        return made;
    }();
    return all;
}

/// The words, and below them the notes: clang++ tells there what g++ tells in its first line.
std::string with_notes(const verdict::CompilerMessage& message) {
    std::string words = message.text;
    for (const std::string& note : message.notes) words += "\n" + note;
    return words;
}

}  // namespace

std::string shortened(std::string_view words) {
    const std::string plain = with_plain_elements(in_plain_quotes(words));
    std::string text;
    for (std::string_view left = plain; !left.empty();) {
        const bool begins_a_name = text.empty() || !is_part_of_a_name(text.back());
        const bool is_offered = text.ends_with("did you mean '");
        const std::size_t of_a_name = is_offered ? unwanted_of_offered(left) : begins_a_name ? unwanted(left) : 0;
        const std::size_t skipped = std::max(of_a_name, also_known_as(left));
        if (skipped == 0) text += left.front();
        left.remove_prefix(std::max<std::size_t>(skipped, 1));
    }
    return text;
}

std::string advice_on(const verdict::CompilerMessage& message) {
    const std::string words = with_notes(message);
    for (const Searched& one : searched()) {
        const auto in_words = found_in(words, one.words);
        if (!in_words) continue;
        const auto in_line = found_in(message.at.text, one.line);
        if (!in_line) continue;
        std::string advice = in_words->format(one.error->advice);
        const std::string group = in_line->size() > 1 ? in_line->str(1) : "@1";  // which may be anything, "@1" too
        for (std::size_t at = advice.find("@1"); at != std::string::npos; at = advice.find("@1", at + group.size()))
            advice.replace(at, 2, group);
        return advice;
    }
    return {};
}

}  // namespace headway::build
