#include "build/const_declaration.hpp"

#include "submission/source_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace headway::build {
namespace {

using Names = std::set<std::string, std::less<>>;

bool is_in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

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
        return compound.find(before) == compound.npos ? i : i - 1;
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

struct Declared {
    int line = 0;
    bool is_const = false;
    bool is_made_anew = false;  ///< by a function of the type, and so a view of nothing
};

/// The words of a file, read from a use of a name backwards.
class Declarations {
public:
    explicit Declarations(const std::vector<Word>& words) : words_(words) {}

    /// The nearest one before `use` that is still known there, if it is a Tensor or a Mask, or auto, by value.
    std::optional<Declared> of_local(const std::string& name, std::size_t use) const {
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

private:
    bool is(std::size_t i, std::string_view text) const { return i < words_.size() && words_[i].text == text; }
    bool is_type(std::size_t i) const { return is(i, "Tensor") || is(i, "Mask") || is(i, "auto"); }

    bool is_declared_at(std::size_t i) const {
        static const Names no_types = {"return", "else", "case", "throw", "new", "delete", "in", "and", "or", "not"};
        const Word& before = words_[i - 1];
        if (before.text == "&") return is_type(i - 2) || is(i - 2, "&");
        return before.is_name() && !no_types.contains(before.text);
    }

    std::optional<Declared> local_at(std::size_t i) const {
        std::size_t type = i - 1;
        Declared found{.line = words_[i].line};
        if (is(type, "const")) {
            found.is_const = true;
            --type;
        }
        if (!is_type(type)) return {};
        const std::string name_of_type = words_[type].text;
        while (type > 2 && is(type - 1, ":") && is(type - 2, ":")) type -= 3;
        found.is_const |= type > 0 && is(type - 1, "const");
        found.is_made_anew = is(i + 1, "=") && is(i + 2, name_of_type) && is(i + 3, ":");
        return found;
    }

    const std::vector<Word>& words_;
};

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
    if (!is_about_a_change(message.text)) return {};
    const std::string name = variable_marked(message);
    if (name.empty()) return {};
    const std::vector<Word>& words = files.of(message.at.file);
    const auto use = std::ranges::find_if(
        words, [&](const Word& word) { return word.line == message.at.line && word.text == name; });
    if (use == words.end()) return {};
    const auto declared = Declarations(words).of_local(name, static_cast<std::size_t>(use - words.begin()));
    if (!declared || !declared->is_const) return {};
    std::string advice = fmt::format("{} is const (line {}): leave out const there{}.", name, declared->line,
                                     declared->is_made_anew ? "" : ", if it is yours to change");
    const std::string_view before = std::string_view(message.at.text).substr(0, message.marks.find_first_not_of(' '));
    const bool is_in_brackets = std::ranges::count(before, '(') > std::ranges::count(before, ')');
    if (is_in_brackets && contains(message.text, "assign")) advice += " To compare, write ==.";
    return advice;
}

}  // namespace headway::build
