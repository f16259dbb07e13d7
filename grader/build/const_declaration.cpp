#include "build/const_declaration.hpp"

#include "submission/source_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace headway::build {
namespace {

using Names = std::set<std::string, std::less<>>;

bool is_in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Characters are bytes in it: marks count characters.
bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

constexpr std::string_view discarded_by_gcc = "as 'this' argument discards qualifiers";

bool is_about_a_change(std::string_view text) {
    return contains(text, "lvalue required as left operand") || contains(text, "expression is not assignable") ||
           contains(text, "no viable overloaded '") ||
           ((contains(text, "'const Tensor'") || contains(text, "'const Mask'")) &&
            (contains(text, discarded_by_gcc) || contains(text, "'this' argument to member function")));
}

/// Where the operator of the last assignment before `end` begins.
std::optional<std::size_t> assignment_before(std::string_view line, std::size_t end) {
    constexpr std::string_view compound = "+-*/%|&^";
    for (std::size_t i = std::min(end, line.size()); i-- > 1;) {
        if (line[i] != '=' || (i + 1 < line.size() && line[i + 1] == '=')) continue;
        const char before = line[i - 1];
        if (before == '=' || before == '<' || before == '>' || before == '!') continue;
        return compound.find(before) == std::string_view::npos ? i : i - 1;
    }
    return {};
}

/// Where the expression begins that ends before `end`: names and what is in brackets, as in `a.b[i](0, 1)`.
std::size_t begin_of_expression(std::string_view line, std::size_t end) {
    std::size_t begin = end;
    int depth = 0;
    while (begin > 0) {
        const char c = line[begin - 1];
        if (c == ')' || c == ']') ++depth;
        if ((c == '(' || c == '[') && --depth < 0) break;
        const bool is_arrow = c == '>' && begin > 1 && line[begin - 2] == '-';
        const bool is_of_arrow = c == '-' && begin < end && line[begin] == '>';
        if (depth == 0 && !is_in_name(c) && c != '(' && c != '[' && c != '.' && c != ':' && !is_arrow && !is_of_arrow)
            break;
        --begin;
    }
    return begin;
}

/// The variable that the marks begin below: "scores" of `scores.fill(0)`.
std::string variable_marked(const verdict::CompilerMessage& message) {
    const std::string& line = message.at.text;
    const std::size_t begin = message.marks.find_first_not_of(' ');
    if (begin >= line.size() || !is_ascii(std::string_view(line).substr(0, begin + 1))) return {};
    if (begin > 0 &&
        (is_in_name(line[begin - 1]) || std::string_view(".>:").find(line[begin - 1]) != std::string::npos))
        return {};
    const auto end = std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), is_in_name);
    return {line.begin() + static_cast<std::ptrdiff_t>(begin), end};
}

/// That stands in an advice: what is longer would drown it.
constexpr std::size_t longest_told = 200;

struct Declared {
    int line = 0;
    std::string type;
    bool is_const = false;
    bool is_reference = false;
    bool is_made_anew = false;  ///< by a function of the type, and so a view of nothing
    std::string read_of;        ///< "x.shape()": its first value, where that is a reference to const
};

/// The words of a file, read from a use of a name backwards.
class Declarations {
public:
    explicit Declarations(const std::vector<Word>& words) : words_(words) {}

    /// The nearest one before `use` that is still known there, if it is a Tensor, a Mask, a list of sizes or auto.
    std::optional<Declared> of_local(const std::string& name, std::size_t use) const {
        if (name.size() > longest_told) return {};
        int blocks = 0, brackets = 0;  // that were closed before
        for (std::size_t i = use; i-- > 2;) {
            const std::string& text = words_[i].text;
            if (text == "}") ++blocks;
            if (text == "{" && blocks > 0) --blocks;
            if (blocks > 0) continue;
            if (text == ")") ++brackets;
            if (text == "(" && brackets > 0) --brackets;
            if (text != name || !is_declared_at(i)) continue;
            return brackets > 0 ? std::nullopt : local_at(i);
        }
        return {};
    }

    /// The line of the nearest use of the name as a parameter, `const T& name`, if what is last said of it before is
    /// that.
    std::optional<int> of_const_parameter(const std::string& name, std::size_t use) const {
        if (name.size() > longest_told) return {};
        for (std::size_t i = use; i-- > 3;) {
            if (!is(i, name) || !is(i - 1, "&") || (!words_[i - 2].is_name() && !is(i - 2, ">"))) continue;
            std::size_t type = i - 2, depth = 0;
            for (; type > 2 && (depth > 0 || is(type, ">")); --type)  // of std::vector<Index>
                depth += is(type, ">") ? 1 : is(type, "<") ? std::size_t(-1) : 0;
            while (type > 2 && is(type - 1, ":") && is(type - 2, ":")) type -= 3;
            const bool is_told = type > 0 && is(type - 1, "const") && (is(i + 1, ",") || is(i + 1, ")"));
            return is_told ? std::optional(words_[i].line) : std::nullopt;
        }
        return {};
    }

private:
    bool is(std::size_t i, std::string_view text) const { return i < words_.size() && words_[i].text == text; }
    bool is_type(std::size_t i) const {
        return is(i, "Tensor") || is(i, "Mask") || is(i, "auto") || is(i, "Shape") || is(i, "Strides");
    }

    bool is_declared_at(std::size_t i) const {
        static const Names no_types = {"return", "else", "case", "throw", "new", "delete", "in", "and", "or", "not"};
        const Word& before = words_[i - 1];
        if (before.text == "&") return is_type(i - 2) || is(i - 2, "&");
        return before.is_name() && !no_types.contains(before.text);
    }

    std::optional<Declared> local_at(std::size_t i) const {
        std::size_t type = i - 1;
        Declared found{.line = words_[i].line, .type = {}, .read_of = {}};
        if (is(type, "&")) {
            found.is_reference = true;
            --type;
        }
        if (is(type, "const")) {
            found.is_const = true;
            --type;
        }
        if (!is_type(type)) return {};
        found.type = words_[type].text;
        while (type > 2 && is(type - 1, ":") && is(type - 2, ":")) type -= 3;
        found.is_const |= type > 0 && is(type - 1, "const");
        found.is_made_anew = is(i + 1, "=") && is(i + 2, found.type) && is(i + 3, ":");
        found.read_of = read_of_sizes(i + 1);
        return found;
    }

    /// "x.shape()", where that is all that stands from the = here to the semicolon.
    std::string read_of_sizes(std::size_t i) const {
        constexpr std::string_view between_names = ".:->()";
        std::string text;
        if (!is(i, "=")) return {};
        for (++i; i < words_.size() && !is(i, ";"); ++i) {
            if (!words_[i].is_name() && !contains(between_names, words_[i].text)) return {};
            text += words_[i].text;
            if (text.size() > longest_told) return {};
        }
        return text.ends_with(".shape()") || text.ends_with(".strides()") ? text : "";
    }

    const std::vector<Word>& words_;
};

/// "shape" of "assignment of read-only location '(& shape)->std::vector<long int>::operator[](0)'", which g++ quotes
/// without marks.
std::string variable_told(std::string_view text) {
    constexpr std::string_view before = "of read-only location '(& ";
    const std::size_t at = text.find(before), begin = at + before.size();
    const std::size_t end = at == std::string_view::npos ? at : text.find(')', begin);
    return end == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin));
}

/// Changes of an element, or of a list itself.
bool is_about_a_list(std::string_view text) {
    return contains(text, "of read-only location") || contains(text, "returns a const value") ||
           contains(text, "read-only variable is not assignable") ||
           contains(text, "no matching member function for call to 'push_back'") ||
           (contains(text, "const std::vector<") &&
            (contains(text, discarded_by_gcc) || contains(text, "'this' argument to member function")));
}

/// g++ tells of the arguments which are const, clang++ nothing.
bool is_about_a_swap(std::string_view text) {
    const std::size_t call = text.find("no matching function for call to '");
    if (call == std::string_view::npos) return false;
    const std::string_view called = text.substr(text.find('\'', call) + 1);
    return called.starts_with("swap'") || called.starts_with("iter_swap'") ||
           ((called.starts_with("swap(") || called.starts_with("iter_swap(")) && contains(called, "const "));
}

/// Of the words of a line: for each the file is read once more.
constexpr std::size_t most_tried = 20;

/// The variables in the brackets of a function of the library's that are changed by it: of all arguments, or the first.
std::vector<std::size_t> changed_by_call(const WordsOfFile& file, std::size_t called) {
    static const Names change_all = {"swap", "iter_swap"};
    static const Names change_first = {"sort", "stable_sort", "fill", "fill_n", "iota", "reverse", "rotate"};
    const std::vector<Word>& words = file.words;
    const bool changes_all = change_all.contains(words[called].text);
    std::vector<std::size_t> changed;
    if ((!changes_all && !change_first.contains(words[called].text)) || called + 1 >= words.size() ||
        words[called + 1].text != "(")
        return changed;
    const auto opens = [&](std::size_t i) {
        return words[i].text == "(" || words[i].text == "[" || words[i].text == "{";
    };
    const std::size_t end = std::min(file.closing[called + 1], words.size() - 1);
    for (std::size_t i = called + 2; i < end && changed.size() < most_tried; ++i) {
        if (words[i].text == "," && !changes_all) break;
        if (opens(i)) i = file.closing[i];  // what is in brackets of its own is passed over
        if (i >= end) break;
        const bool is_first_word = words[i - 1].text == "(" || words[i - 1].text == ",";
        if (!is_first_word || !words[i].is_name()) continue;
        // x[0] of a Tensor is a view, made anew; and a function's result is no variable.
        if (words[i + 1].text != "(" && words[i + 1].text != ":") changed.push_back(i);
    }
    return changed;
}

std::string advice_on_list(const std::string& name, const Declared& declared) {
    if (declared.is_reference && !declared.read_of.empty())
        return fmt::format(
            "{0} is const here, because {1} gives a reference to const: take a copy, {2} {0} = {1}; (line {3}).", name,
            declared.read_of, declared.read_of.ends_with(".shape()") ? "Shape" : "Strides", declared.line);
    if (!declared.is_const) return {};
    if (declared.is_reference)
        return fmt::format(
            "{} is a reference to const (line {}): change a copy, or leave out const there, if it is yours to change.",
            name, declared.line);
    return fmt::format("{} is const (line {}): leave out const there, if it is yours to change.", name, declared.line);
}

/// Parameters of the exercise's functions are const because the header says so.
std::string advice_on_parameter(const std::string& name, std::optional<int> line) {
    if (!line) return {};
    return fmt::format(
        "{} is const, as it is given (line {}): what a function is given it leaves alone. Write to a copy, "
        "such as clone() of a tensor; leave out const only in a helper of your own whose task it is to change it.",
        name, *line);
}

/// Where a list is to change that the function itself declares as const, or as a reference to what is const.
std::string advice_on_const_list(const verdict::CompilerMessage& message, WordsOfFiles& files) {
    const bool swaps = is_about_a_swap(message.text);
    if (!swaps && !is_about_a_list(message.text)) return {};
    const WordsOfFile& file = files.of(message.at.file);
    const std::vector<Word>& words = file.words;
    std::string marked = variable_marked(message);
    if (marked.empty()) marked = variable_told(message.text);
    const auto advice_at = [&](std::size_t i) -> std::string {
        const auto follows = [&](std::size_t by, std::string_view text) {
            return i + by < words.size() && words[i + by].text == text;
        };
        if (follows(1, ".") && (follows(2, "shape") || follows(2, "strides"))) return {};  // these are only read
        const auto declared = Declarations(words).of_local(words[i].text, i);
        // x[0] of a Tensor is a view, made anew.
        if (!declared && follows(1, "[")) return {};
        if (!declared)
            return advice_on_parameter(words[i].text, Declarations(words).of_const_parameter(words[i].text, i));
        const bool is_of_a_tensor = declared->type == "Tensor" || declared->type == "Mask";
        return is_of_a_tensor && follows(1, "[") ? "" : advice_on_list(words[i].text, *declared);
    };
    std::vector<std::size_t> candidates;
    const WordsOfFile::Line line = file.line(message.at.line);
    for (std::size_t i = line.begin; i < line.end && candidates.size() < most_tried; ++i) {
        std::ranges::copy(changed_by_call(file, i), std::back_inserter(candidates));
        if (!swaps && words[i].text == marked && (i == 0 || words[i - 1].text != ".")) candidates.push_back(i);
    }
    candidates.resize(std::min(candidates.size(), most_tried));
    for (const std::size_t i : candidates)
        if (std::string advice = advice_at(i); !advice.empty()) return advice;
    return {};
}

}  // namespace

void mark_what_is_assigned_to(verdict::CompilerMessage& message, const CompilerWords& words) {
    const bool is_an_assignment = std::ranges::any_of(words.notes, [](const CompilerWords& note) {
        return contains(note.text, "in call to") && contains(note.text, "::operator") && contains(note.text, "=(");
    });
    const std::string& line = message.at.text;
    const std::size_t caret = message.marks.find('^');
    if (!is_an_assignment || !contains(message.text, discarded_by_gcc) || caret >= line.size() ||
        !is_ascii(std::string_view(line).substr(0, caret + 1)))
        return;
    const auto assignment = assignment_before(line, caret);
    if (!assignment) return;
    std::size_t end = *assignment;
    while (end > 0 && line[end - 1] == ' ') --end;
    const std::size_t begin = begin_of_expression(line, end);
    if (begin == end) return;
    message.marks = std::string(begin, ' ') + '^' + std::string(end - begin - 1, '~');
    if (message.column > 0) message.column -= static_cast<int>(caret - begin);
}

std::string advice_on_const_variable(const verdict::CompilerMessage& message, WordsOfFiles& files) {
    if (std::string advice = advice_on_const_list(message, files); !advice.empty()) return advice;
    if (!is_about_a_change(message.text)) return {};
    const std::string name = variable_marked(message);
    if (name.empty()) return {};
    const WordsOfFile& file = files.of(message.at.file);
    const WordsOfFile::Line line = file.line(message.at.line);
    std::size_t use = line.begin;
    while (use < line.end && file.words[use].text != name) ++use;
    if (use == line.end) return {};
    const auto declared = Declarations(file.words).of_local(name, use);
    const bool is_added_to = use + 2 < line.end && file.words[use + 2].text == "=" &&
                             std::string_view("+-*/").find(file.words[use + 1].text) != std::string_view::npos;
    const bool is_an_element =
        use + 1 < line.end && file.words[use + 1].text == "(" && !contains(message.text, "overloaded");
    if (!declared && (is_added_to || is_an_element))
        return advice_on_parameter(name, Declarations(file.words).of_const_parameter(name, use));
    if (!declared || !declared->is_const || declared->is_reference) return {};
    std::string advice = fmt::format("{} is const (line {}): leave out const there{}.", name, declared->line,
                                     declared->is_made_anew ? "" : ", if it is yours to change");
    const std::string_view before = std::string_view(message.at.text).substr(0, message.marks.find_first_not_of(' '));
    const bool is_in_brackets = std::ranges::count(before, '(') > std::ranges::count(before, ')');
    if (is_in_brackets && contains(message.text, "assign")) advice += " To compare, write ==.";
    return advice;
}

}  // namespace headway::build
