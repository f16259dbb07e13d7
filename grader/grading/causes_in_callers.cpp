#include "grading/causes_in_callers.hpp"

#include "submission/declared_names.hpp"
#include "submission/function_places.hpp"
#include "submission/source_words.hpp"
#include "submission/words_of_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::cli {

using verdict::Failure;
using Question = ReadSources::Question;

namespace {

/// Names of one line that are tried: each is looked for in the whole function.
constexpr int most_arguments_tried = 16;

/// "nothing_seen(…)", if the submission has a function that gives a struct of that type.
std::string where_one_comes_from(const std::string& type, const Words& words) {
    for (std::size_t i = 0; i + 2 < words.size(); ++i)
        if (words[i].text == type && words[i + 1].is_name() && words[i + 2].text == "(")
            return words[i + 1].text + "(…)";
    return "…";
}

/// Whether a struct of this file gives its members values where it declares them, or has a constructor.
bool begins_with_values(const std::string& type, const Words& words) {
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        const bool is_defined = words[i].text == type && stands(words, i + 1, "{") &&
                                (stands(words, i - 1, "struct") || stands(words, i - 1, "class"));
        if (!is_defined) continue;
        const std::size_t end = build::closing_brackets(words)[i + 1];
        for (std::size_t k = i + 2; k < std::min(end, words.size()); ++k)
            if (stands(words, k, "=") || (words[k].text == type && stands(words, k + 1, "("))) return true;
        return false;
    }
    return false;
}

/// Of std::vector<Running> states(n);, where the function assigns to no element and adds none: the line, and the type.
std::optional<std::pair<int, std::string>> has_elements_never_set(const std::string& name, const Words& words,
                                                                  const std::vector<std::size_t>& closing) {
    std::optional<std::pair<int, std::string>> found;
    for (std::size_t i = 4; i + 1 < words.size(); ++i) {
        if (words[i].text != name || stands(words, i - 1, ".")) continue;
        const bool is_declaration = stands(words, i - 1, ">") && words[i - 2].is_name() && stands(words, i - 3, "<") &&
                                    stands(words, i - 4, "vector");
        if (is_declaration && build::ends_without_value(words, i) && !found) {
            found.emplace(words[i].line, words[i - 2].text);
            continue;
        }
        if (is_declaration && (!stands(words, i + 1, "(") || found)) return {};
        if (is_declaration) {
            const std::size_t end = closing[i + 1];
            for (std::size_t k = i + 2; k < std::min(end, words.size()); ++k)
                if (stands(words, k, ",")) return {};  // each begins as what follows
            found.emplace(words[i].line, words[i - 2].text);
            continue;
        }
        const bool is_size =
            stands(words, i + 1, ".") && (stands(words, i + 2, "size") || stands(words, i + 2, "reserve"));
        const bool is_read_through = stands(words, i - 1, ":") && stands(words, i + 1, ")") &&
                                     (stands(words, i - 3, "&") || stands(words, i - 4, "const"));
        if (is_read_through) {
            std::size_t head = i;
            while (head > 0 && !stands(words, head, "(")) --head;
            if (stands(words, head + 1, "const")) continue;
        }
        if (!found || (!stands(words, i + 1, "[") && !is_size)) return {};
        const std::size_t behind = stands(words, i + 1, "[") ? closing[i + 1] + 1 : i + 2;
        if (behind + 1 >= words.size() || (stands(words, behind, "=") && !stands(words, behind + 1, "="))) return {};
    }
    return found;
}

/// What stands at `name` in a call: "states" of absorb(states[i], …), and of absorb(states).
std::optional<std::string> told_of_argument(std::size_t name, const Words& words,
                                            const std::vector<std::size_t>& closing, const Words& whole_file,
                                            int line) {
    if (!stands(words, name - 1, "(") && !stands(words, name - 1, ",")) return {};
    const bool is_element = stands(words, name + 1, "[");
    const std::size_t behind = is_element ? closing[name + 1] + 1 : name + 1;
    if (!stands(words, behind, ")") && !stands(words, behind, ",")) return {};
    if (is_element) {
        const auto elements = has_elements_never_set(words[name].text, words, closing);
        if (!elements || elements->second == "Tensor" || elements->second == "Mask") return {};
        if (begins_with_values(elements->second, whole_file)) return {};
        return fmt::format(
            "The elements of {0} hold nothing when they get there, if there are any: line {1} makes it, and nothing "
            "gives them a value. First {0}[…] = {2}; or {0}.push_back({2}); for each.",
            words[name].text, elements->first, where_one_comes_from(elements->second, whole_file));
    }
    const std::size_t declared = build::declared_alone(words[name].text, words, line);
    if (declared == 0) return {};
    const std::string& type = words[declared - 1].text;
    if (type == "Tensor" || type == "Mask" || begins_with_values(type, whole_file)) return {};
    return fmt::format(
        "{0} holds nothing when it gets there: line {1} declares it without a value. Write {2} {0} = {3}; there.",
        words[name].text, words[declared].line, type, where_one_comes_from(type, whole_file));
}

}  // namespace

void tell_what_was_handed_on_empty(Failure& failure, const std::vector<verdict::SourceLine>& callers,
                                   const ReadSources& sources) {
    if (!failure.at || callers.empty() || failure.message.find("rank 0, shape ()") == std::string::npos) return;
    const verdict::SourceLine& caller = callers.front();
    const auto& told = sources.about(Question::what_was_handed_on, caller, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(caller);
        if (!function) return {};
        const Words& words = function->words;
        const std::vector<std::size_t> closing = build::closing_brackets(words);
        const Words& whole_file = sources.words_of(caller.file);
        int tried = 0;
        for (std::size_t i = 1; i + 1 < words.size() && tried < most_arguments_tried; ++i) {
            if (words[i].line != caller.line || !words[i].is_name()) continue;
            ++tried;
            if (auto argument = told_of_argument(i, words, closing, whole_file, caller.line)) return argument;
        }
        return {};
    });
    if (told) failure.advice = told;
}

}  // namespace headway::cli
