#include "grading/causes_in_source.hpp"

#include "submission/declared_names.hpp"
#include "submission/function_places.hpp"
#include "submission/source_words.hpp"
#include "submission/words_of_files.hpp"
#include "verdict/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace headway::cli {

using verdict::Failure;
using Question = ReadSources::Question;

void tell_of_other_empty_ones(verdict::FunctionDiagnosis& function, const ReadSources& sources) {
    constexpr std::size_t most_told = 8;
    if (!function.at || function.at->text.find("Tensor::empty(") == std::string::npos) return;
    const auto around = sources.lines().function_around(*function.at);
    if (!around) return;
    std::set<int> lines;
    for (std::size_t i = 3; i < around->words.size(); ++i)
        if (around->words[i].text == "empty" && around->words[i - 1].text == ":" &&
            around->words[i - 3].text == "Tensor" && around->words[i].line != function.at->line)
            lines.insert(around->words[i].line);
    if (lines.empty() || lines.size() > most_told) return;
    std::vector<std::string> numbers;
    numbers.reserve(lines.size());
    for (const int line : lines) numbers.push_back(std::to_string(line));
    function.sentences.push_back(
        fmt::format("that function has Tensor::empty in line{} {}, too: look whether all of it is written there first",
                    lines.size() == 1 ? "" : "s", verdict::listed(std::move(numbers))));
}

void tell_what_hides_a_member(verdict::Diagnosis& diagnosis, const std::vector<verdict::CompilerMessage>& warnings,
                              const std::vector<build::SourceFile>& files) {
    const auto hides_what_is_followed = [&](const verdict::CompilerMessage& warning) {
        const std::string& text = warning.at.text;
        const std::size_t equals = text.find(" =");
        const bool is_of_a_member = warning.text.find("shadows a member") != std::string::npos ||
                                    warning.text.find("shadows a field") != std::string::npos;
        // The first = of a parameter's line stands behind its bracket.
        if (!is_of_a_member || equals == std::string::npos || text.find('(') < equals) return false;
        const std::string name = text.substr(text.rfind(' ', equals - 1) + 1, equals - text.rfind(' ', equals - 1) - 1);
        return std::ranges::any_of(files, [&](const build::SourceFile& file) {
            return file.text.find(name + "->") != std::string::npos || file.text.find("*" + name) != std::string::npos;
        });
    };
    if (warnings.empty() || !build::is_read_for_advice(files)) return;
    const auto warning = std::ranges::find_if(warnings, hides_what_is_followed);
    if (warning == warnings.end()) return;
    for (verdict::FunctionDiagnosis& function : diagnosis.functions)
        if (std::ranges::count(function.mistakes, "used_after_freed") +
                std::ranges::count(function.mistakes, "null_pointer_followed") >
            0)
            function.sentences.push_back(
                fmt::format("{}:{}: {}  {}", warning->at.file, warning->at.line, warning->at.text, warning->advice));
}

void tell_what_ends_with_its_line(verdict::Diagnosis& diagnosis, const std::vector<build::SourceFile>& files) {
    static const std::set<std::string> make_anew = {"contiguous", "clone", "matmul", "exp", "sum", "max", "cat"};
    if (!build::is_read_for_advice(files)) return;
    const auto function = std::ranges::find_if(diagnosis.functions, [](const verdict::FunctionDiagnosis& one) {
        return std::ranges::count(one.mistakes, "used_after_freed") > 0;
    });
    if (function == diagnosis.functions.end()) return;
    for (const build::SourceFile& file : files) {
        const std::vector<build::Word> words = build::words_without_directives(file.text);
        const std::vector<std::size_t> closing = build::closing_brackets(words);
        for (std::size_t i = 1; i + 6 < words.size(); ++i) {
            if (!make_anew.contains(words[i].text) || words[i + 1].text != "(" || closing[i + 1] + 5 >= words.size())
                continue;
            const std::size_t end = closing[i + 1];
            if (words[end + 1].text != "." || words[end + 2].text != "data" || words[end + 3].text != "(" ||
                words[end + 5].text != ";")
                continue;
            std::size_t begin = i;  // of the statement: what is read at once is no pointer that is kept
            while (begin > 0 && words[begin].text != ";" && words[begin].text != "{" && words[begin].text != "}")
                --begin;
            bool is_kept = false;  // const float* p = …, auto p = …
            for (std::size_t k = begin; k + 2 < i; ++k) {
                const std::size_t name = words[k + 1].text == "const" ? k + 2 : k + 1;
                is_kept |= (words[k].text == "*" || words[k].text == "auto") && words[name].is_name() &&
                           words[name + 1].text == "=";
            }
            if (!is_kept) continue;
            function->sentences.push_back(
                fmt::format("{}:{}: what {}() makes ends with that line, and data() points into it: keep the tensor in "
                            "a variable first",
                            file.path.string(), words[i].line, words[i].text));
            return;
        }
    }
}

void name_what_lacks_a_return(Failure& failure, const ReadSources& sources) {
    constexpr std::string_view ends = " can end without returning a value";
    const std::string told = "your " + failure.function + std::string(ends);
    if (!failure.sanitizer || !failure.message.starts_with(told)) return;
    const std::vector<build::DefinedFunction>& functions = sources.functions_of(failure.sanitizer->file);
    const auto at = std::ranges::find(functions, failure.sanitizer->line, &build::DefinedFunction::line);
    if (at != functions.end()) failure.message.replace(0, told.size(), "your " + at->name + std::string(ends));
}

void tell_what_clone_keeps(Failure& failure, const ReadSources& sources) {
    const bool recurses = failure.message.find("recurses without end") != std::string::npos;
    if (!recurses || !failure.at || failure.at->text.find("clone()") == std::string::npos) return;
    failure.advice = "clone() keeps the strides: what was not contiguous is not contiguous now.";
    if (!sources.are_read()) return;
    *failure.advice += sources.definition_of("contiguous")
                           ? " To lay it out in rows, write it into Tensor::empty(x.shape()) with copy_from(x)."
                           : " contiguous() gives a row-major one.";
}

namespace {

/// Of "grad.weights.w_in": whether the last `grad` that is declared above the line has no value, and neither it nor
/// what it belongs to is assigned to behind that.
bool is_a_member_never_made(const std::string& member, const std::vector<build::Word>& words, int line) {
    const std::vector<build::Word> parts = build::words_of(member);  // grad . weights . w_in
    std::size_t declared = 0;
    for (std::size_t i = 1; i + 3 < words.size() && words[i].line < line; ++i)
        if (words[i].text == parts.front().text && words[i - 1].is_name() && words[i - 1].text != "return")
            declared = build::ends_without_value(words, i) ? i : 0;
    if (declared == 0) return false;
    for (std::size_t i = declared + 1; i + 1 < words.size(); ++i) {
        if (words[i].text != parts.front().text || words[i - 1].text == ".") continue;
        std::size_t same = 0;
        while (same < parts.size() && i + same < words.size() && words[i + same].text == parts[same].text) ++same;
        const std::size_t behind = i + same - (same > 1 && parts[same - 1].text == "." ? 1 : 0);
        if (behind + 1 < words.size() && words[behind].text == "=" && words[behind + 1].text != "=") return false;
        if (behind < words.size() && (words[behind].text == ")" || words[behind].text == ",")) return false;
    }
    return true;
}

}  // namespace

void tell_how_a_sum_begins(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.message.find("= b: a tensor is undefined") == std::string::npos) return;
    const std::string& text = failure.at->text;
    const std::size_t end = std::min(text.find(" += "), text.find(" -= "));
    if (end == std::string::npos || end == 0) return;
    const std::size_t space = text.find_last_of(" )", end - 1);  // for (…) may stand before it
    const std::string name = text.substr(space == std::string::npos ? 0 : space + 1, end - (space + 1));
    if (name.empty()) return;
    const auto& told = sources.about(Question::how_a_sum_begins, *failure.at, [&]() -> std::optional<std::string> {
        // The last mention above the line must be the declaration, without a value.
        const std::vector<build::Word>& words = sources.words_of(failure.at->file);
        if (name.find('.') != std::string::npos) {
            const auto function = sources.lines().function_around(*failure.at);
            return function && is_a_member_never_made(name, function->words, failure.at->line)
                       ? std::optional(fmt::format(
                             "{0} holds nothing when something is added to it for the first time: begin with {0} = "
                             "Tensor::zeros(…), in the shape of the result.",
                             name))
                       : std::nullopt;
        }
        std::size_t last = 0;
        for (std::size_t i = 1; i + 3 < words.size() && words[i].line < failure.at->line; ++i)
            if (words[i].text == name) last = i;
        if (last == 0 || words[last - 1].text != "Tensor") return {};
        if (!build::ends_without_value(words, last)) return {};
        return fmt::format(
            "{0} holds nothing when something is added to it for the first time: begin with Tensor {0} = "
            "Tensor::zeros(…), in the shape of the result.",
            name);
    });
    if (told) failure.advice = told;
}

namespace {

/// Names of one line that are tried: each is looked for in the whole function.
constexpr int most_names = 16;

bool defines_type(const std::vector<build::Word>& words, const std::string& type) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
        if ((words[i].text == "struct" || words[i].text == "class" || words[i].text == "using") &&
            words[i + 1].text == type)
            return true;
    return false;
}

/// An element of a tensor, as a line asks for it: "grad.v(b, h)", or "sum(b)".
struct Element {
    std::size_t name = 0;
    bool is_of_a_member = false;
};

std::optional<Element> element_at(const std::vector<build::Word>& words, std::size_t i) {
    if (!words[i].is_name() || words[i - 1].text == ".") return {};
    const bool is_member = words[i + 1].text == "." && words[i + 2].is_name() && words[i + 3].text == "(";
    if (!is_member && words[i + 1].text != "(") return {};
    return Element{i, is_member};
}

/// Whether the tensor gets a value anywhere in the function: further down counts, because it may be a round before.
bool is_made_anywhere(const Element& element, const std::vector<build::Word>& words) {
    for (std::size_t k = 0; k + 2 < words.size(); ++k) {
        if (words[k].text != words[element.name].text || k == element.name) continue;
        const std::size_t behind = k + (element.is_of_a_member && words[k + 1].text == "." ? 3 : 1);
        if (behind + 1 < words.size() && words[behind].text == "=" && words[behind + 1].text != "=") return true;
    }
    return false;
}

/// "grad was declared at line 2 and never made, ..."
std::string never_made_in_words(const Element& element, std::size_t declared, const std::vector<build::Word>& words) {
    const std::string& variable = words[element.name].text;
    const std::string member = element.is_of_a_member ? words[element.name + 2].text : std::string();
    const std::string tensor = element.is_of_a_member ? variable + "." + member : variable;
    // A gradient has the name of the argument that it belongs to, and its shape.
    const bool is_of_argument = words[declared - 1].text.find("Gradient") != std::string::npos &&
                                std::any_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(declared),
                                            [&](const build::Word& word) { return word.text == member; });
    return fmt::format(
        "{} was declared at line {} and never made, so {} has no elements: write {} = Tensor::zeros({}) first.",
        variable, words[declared].line, tensor, tensor, is_of_argument ? member + ".shape()" : "…");
}

}  // namespace

void tell_what_was_never_made(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.message.find("element access: a tensor is undefined (") == std::string::npos) return;
    const auto& told = sources.about(Question::what_was_never_made, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        const std::vector<build::Word>& words = function->words;
        int names = 0;
        for (std::size_t i = 1; i + 3 < words.size() && names < most_names; ++i) {
            const auto element = words[i].line == failure.at->line ? element_at(words, i) : std::nullopt;
            if (!element) continue;
            ++names;
            const std::size_t declared = build::declared_alone(words[i].text, words, failure.at->line);
            if (declared == 0 && element->is_of_a_member) {
                const std::string member = words[i].text + "." + words[i + 2].text;
                if (!is_a_member_never_made(member, words, failure.at->line)) continue;
                return fmt::format("Nothing makes {0}: write {0} = Tensor::zeros(…) before its elements are used.",
                                   member);
            }
            if (declared == 0) continue;
            const std::string& type = words[declared - 1].text;
            if (is_made_anywhere(*element, words) || element->is_of_a_member == (type == "Tensor") ||
                defines_type(sources.words_of(failure.at->file), type))
                continue;
            return never_made_in_words(*element, declared, words);
        }
        return {};
    });
    if (told) failure.advice = told;
}

namespace {

/// "B" of std::vector<Index> lengths{B}, and of {B, 0}; nothing for another list.
std::string number_in_braces(const std::vector<build::Word>& words, std::size_t brace, bool has_zero) {
    const std::size_t end = brace + (has_zero ? 4 : 2);
    if (end >= words.size() || words[brace].text != "{" || words[end].text != "}" || !words[brace + 1].is_name())
        return {};
    const bool is_it = !has_zero || (words[brace + 2].text == "," && words[brace + 3].text == "0");
    return is_it ? words[brace + 1].text : std::string();
}

}  // namespace

void tell_which_list_has_braces(Failure& failure, const ReadSources& sources) {
    constexpr std::string_view begin = "the lengths are (", due = "; they should be (0";
    if (failure.at || failure.advice || !failure.message.starts_with(begin)) return;
    const std::size_t end = failure.message.find(')');
    if (end == std::string::npos || failure.message.compare(end + 1, due.size(), due) != 0) return;
    const std::string yours = failure.message.substr(begin.size(), end - begin.size());
    const auto commas = std::ranges::count(yours, ',');
    const bool has_zero = commas == 1 && yours.ends_with(", 0");
    const auto& place = sources.definition_of(failure.function);
    if (yours.empty() || (commas > 0 && !has_zero) || !place) return;
    const auto function = sources.lines().function_around({place->file, place->line, ""});
    if (!function) return;
    const std::vector<build::Word>& words = function->words;
    for (std::size_t i = 0; i + 4 < words.size(); ++i) {
        if (words[i].text != "vector" || words[i + 1].text != "<" || words[i + 3].text != ">") continue;
        const std::size_t brace = words[i + 4].is_name() ? i + 5 : i + 4;
        const std::string number = number_in_braces(words, brace, has_zero);
        if (number.empty()) continue;
        failure.at = sources.lines().at(place->file, words[brace].line);
        failure.advice = fmt::format(
            "In braces, {{{0}{1}}} is a list of {2}. {0} zeros are std::vector<Index>({0}, 0), in parentheses.", number,
            has_zero ? ", 0" : "", has_zero ? "these two numbers" : "the one number " + number);
        return;
    }
}

}  // namespace headway::cli
