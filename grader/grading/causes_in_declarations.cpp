#include "grading/causes_in_declarations.hpp"

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
constexpr int most_names_tried = 16;

/// Whether a call, an index or a member of it follows.
bool is_asked_for_something(const Words& words, std::size_t i) {
    return (stands(words, i + 1, ".") && i + 2 < words.size() && words[i + 2].text != "defined") ||
           stands(words, i + 1, "(") || stands(words, i + 1, "[");
}

}  // namespace

void tell_what_holds_nothing(Failure& failure, const ReadSources& sources) {
    const auto says = [&](const char* text) { return failure.message.find(text) != std::string::npos; };
    const bool is_of_a_matrix = says("as_eigen: a matrix is needed, the shape is ()");
    // What is said of elements, and of sums that begin with nothing, is told elsewhere.
    const bool is_undefined = says(": a tensor is undefined (a Tensor{}") && !says("element access:");
    if (!failure.at || (!is_of_a_matrix && !is_undefined && !says("for rank 0, shape ()"))) return;
    const auto& told = sources.about(Question::what_holds_nothing, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        const Words& words = function->words;
        int tried = 0;
        for (std::size_t i = 2; i + 2 < words.size() && tried < most_names_tried; ++i) {
            if (words[i].line != failure.at->line || !words[i].is_name() || stands(words, i - 1, ".")) continue;
            const bool is_used = is_of_a_matrix ? stands(words, i - 1, "(") && stands(words, i - 2, "as_eigen")
                                                : is_asked_for_something(words, i);
            if (!is_used) continue;
            ++tried;
            const std::size_t declared = build::declared_alone(words[i].text, words, failure.at->line);
            if (declared == 0) continue;
            const std::string& type = words[declared - 1].text;
            if (type != "Tensor" && type != "Mask") continue;
            return fmt::format(
                "{0} holds nothing there: line {1} declares it without a value. Write {2} {0} = {2}::{3}({{…}}); "
                "there, with its shape.",
                words[i].text, words[declared].line, type, type == "Mask" ? "allow_all" : "zeros");
        }
        return {};
    });
    if (told) failure.advice = told;
}

namespace {

/// Whether `name` is assigned to at `i`, by = or emplace.
bool is_given_a_value(const Words& words, std::size_t i) {
    const bool is_assigned = stands(words, i + 1, "=") && !stands(words, i + 2, "=");
    return is_assigned || (stands(words, i + 1, ".") && stands(words, i + 2, "emplace"));
}

/// Whether the condition between these brackets is true only of one that has a value, or asks for the value at once.
bool asks_for_a_value(const Words& words, std::size_t open, std::size_t close, const std::string& name) {
    for (std::size_t i = open + 1; i < close; ++i) {
        if (words[i].text != name) continue;
        if (stands(words, i - 1, "!")) return false;
        if (i == open + 1 && (stands(words, i + 1, "&") || stands(words, i + 1, ")"))) return true;
        if (stands(words, i - 1, "*")) return true;
        return stands(words, i + 1, ".") && (stands(words, i + 2, "value") || stands(words, i + 2, "has_value"));
    }
    return false;
}

/// Of a std::optional that is declared without a value, what the function's words say of how it gets one.
std::optional<std::string> how_it_gets_a_value(const std::string& name, const Words& words,
                                               const std::vector<std::size_t>& closing) {
    int declared = 0, given = 0;
    bool asks_first = false;
    for (std::size_t i = 2; i + 2 < words.size(); ++i) {
        if (words[i].text != name || stands(words, i - 1, ".")) continue;
        if (stands(words, i - 1, ">") && build::ends_without_value(words, i)) {
            if (declared > 0) return {};
            declared = words[i].line;
            continue;
        }
        if (declared == 0 || stands(words, i - 1, "&")) return {};
        const bool is_handed_on = (stands(words, i - 1, "(") && words[i - 2].is_name() && !stands(words, i - 2, "if") &&
                                   !stands(words, i - 2, "while")) ||
                                  stands(words, i - 1, ",");
        if (is_handed_on && (stands(words, i + 1, ",") || stands(words, i + 1, ")"))) return {};
        if (!is_given_a_value(words, i)) continue;
        if (given > 0) return {};
        given = words[i].line;
        // if (name && …) name = …, or if (x > name.value()), with the assignment as the statement or its first.
        const std::size_t before = stands(words, i - 1, "{") ? i - 2 : i - 1;
        for (std::size_t open = 1; open < before && stands(words, before, ")"); ++open)
            if (stands(words, open, "(") && closing[open] == before && stands(words, open - 1, "if"))
                asks_first = asks_for_a_value(words, open, before, name);
    }
    if (declared > 0 && given == 0)
        return fmt::format("Line {} declares {} without a value, and nothing gives it one.", declared, name);
    if (asks_first)
        return fmt::format(
            "Only line {0} gives {1} a value, and only where it has one already: it begins without (line {2}). Where "
            "it has none yet, it takes the first: if (!{1} || …).",
            given, name, declared);
    return {};
}

}  // namespace

void tell_what_an_optional_lacks(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.message.find("bad optional access") == std::string::npos) return;
    const auto& told = sources.about(Question::what_is_optional, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        const Words& words = function->words;
        const std::vector<std::size_t> closing = build::closing_brackets(words);
        int tried = 0;
        for (std::size_t i = 1; i + 2 < words.size() && tried < most_names_tried; ++i) {
            const bool is_asked = words[i].line == failure.at->line && words[i].is_name() &&
                                  stands(words, i + 1, ".") && stands(words, i + 2, "value");
            if (!is_asked) continue;
            ++tried;
            if (auto way = how_it_gets_a_value(words[i].text, words, closing)) return way;
        }
        return {};
    });
    if (told) failure.advice = told;
}

void tell_what_a_list_begins_with(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.message.find("Tensor::of: shape ") == std::string::npos) return;
    const auto& told = sources.about(Question::what_begins_a_list, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        const Words& words = function->words;
        for (std::size_t i = 4; i + 2 < words.size(); ++i) {
            // std::vector<float> out(n); and further down out.push_back(…)
            const bool is_declared = words[i].is_name() && stands(words, i - 1, ">") && stands(words, i - 3, "<") &&
                                     stands(words, i - 4, "vector") && stands(words, i + 1, "(") &&
                                     !stands(words, i + 2, ")");
            const auto is_used_there = [&](const build::Word& word) {
                return word.line == failure.at->line && word.text == words[i].text;
            };
            if (!is_declared || std::ranges::none_of(words, is_used_there)) continue;
            for (std::size_t k = i + 1; k + 2 < words.size(); ++k)
                if (words[k].text == words[i].text && stands(words, k + 1, ".") && stands(words, k + 2, "push_back"))
                    return fmt::format(
                        "{0} begins with elements (line {1}), and push_back adds more behind them (line {2}). Begin "
                        "without any, std::vector<{3}> {0}; or write {0}[i] = …",
                        words[i].text, words[i].line, words[k].line, words[i - 2].text);
        }
        return {};
    });
    if (told) failure.advice = told;
}

void tell_what_a_pointer_points_to(Failure& failure, const ReadSources& sources) {
    const bool is_crash = failure.sanitizer ? failure.sanitizer->kind == "SEGV"
                                            : failure.message.find("crashed: SIGSEGV") != std::string::npos;
    if (!failure.at || failure.advice || !is_crash) return;
    const auto& told = sources.about(Question::what_is_pointed_to, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        const Words& words = function->words;
        const auto is_used_there = [&](const std::string& name) {
            return std::ranges::any_of(
                words, [&](const build::Word& word) { return word.line == failure.at->line && word.text == name; });
        };
        for (std::size_t i = 0; i + 6 < words.size() && words[i].line <= failure.at->line; ++i) {
            // out = y.data();
            const bool is_pointer = words[i].is_name() && stands(words, i + 1, "=") && words[i + 2].is_name() &&
                                    stands(words, i + 3, ".") && stands(words, i + 4, "data") &&
                                    stands(words, i + 5, "(") && stands(words, i + 6, ")");
            if (!is_pointer || !is_used_there(words[i].text)) continue;
            const std::size_t declared = build::declared_alone(words[i + 2].text, words, words[i].line);
            if (declared == 0 || words[declared - 1].text != "Tensor") continue;
            return fmt::format(
                "{0} is {1}.data() (line {2}), and {1} holds nothing: line {3} declares it without a value. Write "
                "Tensor "
                "{1} = Tensor::zeros({{…}}); there, with its shape.",
                words[i].text, words[i + 2].text, words[i].line, words[declared].line);
        }
        return {};
    });
    if (told) failure.advice = told;
}

void tell_what_has_no_element_below_0(Failure& failure, const ReadSources& sources) {
    if (!failure.at) return;
    const auto& told = sources.about(Question::what_lies_below_0, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        const Words& words = function->words;
        for (std::size_t i = 1; i + 6 < words.size() && words[i].line <= failure.at->line; ++i) {
            const bool is_list = words[i].text == "shape" || words[i].text == "strides";
            if (!is_list || !stands(words, i + 1, "(") || !stands(words, i + 2, ")") || !stands(words, i + 3, "[") ||
                !stands(words, i + 4, "-") || !words[i + 5].is_number() || !stands(words, i + 6, "]"))
                continue;
            return fmt::format(
                "Line {0} reads {1}()[-{2}], and {1}() is a std::vector, which has no elements below 0: what comes of "
                "it is chance.{3}",
                words[i].line, words[i].text, words[i + 5].text,
                words[i].text == "shape" ? " Write size(-" + words[i + 5].text + ")." : "");
        }
        return {};
    });
    if (told) failure.advice = told;
}

void tell_which_child_is_not_kept(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.message.find("there is no module yet: make it first") == std::string::npos) return;
    const auto& told = sources.about(Question::which_is_not_kept, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        const Words& words = function->words;
        for (std::size_t i = 1; i + 6 < words.size() && words[i].line < failure.at->line; ++i) {
            // auto out_proj = std::make_unique<…>(…), which no word behind it mentions
            if (!stands(words, i - 1, "auto") || !stands(words, i + 1, "=") || !stands(words, i + 5, "make_unique"))
                continue;
            const auto behind = words.begin() + static_cast<std::ptrdiff_t>(i) + 1;
            if (std::any_of(behind, words.end(), [&](const build::Word& word) { return word.text == words[i].text; }))
                continue;
            return fmt::format(
                "What it hands over is empty. Line {0} makes {1}, a variable of its own that ends with the function: "
                "assign that to what line {2} hands over.",
                words[i].line, words[i].text, failure.at->line);
        }
        return "What it hands over is a pointer that holds nothing yet: give it its module above this line.";
    });
    if (told) failure.advice = told;
}

}  // namespace headway::cli
