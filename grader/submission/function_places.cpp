#include "submission/function_places.hpp"

#include "submission/source_words.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>

namespace headway::build {
namespace {

/// In words, up to where the next one begins: a whole exercise has some thousands. Its loops are read many times.
constexpr std::ptrdiff_t longest_function = 10'000;

/// For each `(` the index after its `)`; 0 for all other words, and where it is never closed.
std::vector<std::size_t> ends_of_brackets(const std::vector<Word>& words) {
    std::vector<std::size_t> ends(words.size(), 0);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].text == "(") open.push_back(i);
        if (words[i].text != ")" || open.empty()) continue;
        ends[open.back()] = i + 1;
        open.pop_back();
    }
    return ends;
}

/// What may stand between parameters and body.
bool is_qualifier(const Word& word) {
    static const std::set<std::string> qualifiers = {"const", "volatile", "&", "noexcept", "override", "final", "try"};
    return qualifiers.contains(word.text);
}

/// Of a trailing return type.
bool is_of_a_type(const Word& word) {
    static const std::set<std::string> marks = {">", "<", ":", ",", "*", "&"};
    return word.is_name() || marks.contains(word.text);
}

/// @param i  the word after the parameters
bool has_body(const std::vector<Word>& words, const std::vector<std::size_t>& ends, std::size_t i) {
    const auto is = [&](std::size_t at, const char* text) { return at < words.size() && words[at].text == text; };
    while (i < words.size() && is_qualifier(words[i])) ++i;
    if (is(i - 1, "noexcept") && is(i, "(") && ends[i] > 0) i = ends[i];
    while (i < words.size() && is_qualifier(words[i])) ++i;
    if (is(i, "-") && is(i + 1, ">"))
        for (i += 2; i < words.size() && is_of_a_type(words[i]);) ++i;
    return is(i, "{");
}

/// What looks like a function, with brackets and a block.
bool is_of_the_language(const Word& word) {
    static const std::set<std::string> words = {"if", "for", "while", "switch", "catch", "constexpr", "noexcept"};
    return words.contains(word.text);
}

std::vector<DefinedFunction> defined_by(const std::vector<Word>& words) {
    const std::vector<std::size_t> ends = ends_of_brackets(words);
    std::vector<DefinedFunction> functions;
    for (std::size_t i = 1; i < words.size(); ++i)
        if (words[i - 1].is_name() && !is_of_the_language(words[i - 1]) && ends[i] > 0 &&
            has_body(words, ends, ends[i]))
            functions.push_back({words[i - 1].text, words[i - 1].line});
    return functions;
}

/// What is compiled goes before a header: a header may declare, or be the course's.
template <typename Find>
std::optional<FoundAt> in_any(const std::vector<SourceFile>& files, const Find& find) {
    for (const bool compiled : {true, false})
        for (const SourceFile& file : files) {
            if (file.is_compiled() != compiled) continue;
            if (const int line = find(file.text); line > 0) return FoundAt{file.path.string(), line};
        }
    return std::nullopt;
}

}  // namespace

std::vector<DefinedFunction> functions_defined_in(std::string_view text) {
    return defined_by(words_without_directives(text));
}

FunctionsOfFile::FunctionsOfFile(std::string_view text)
    : words_(words_without_directives(text)), functions_(defined_by(words_)) {}

std::optional<FunctionAround> FunctionsOfFile::around(int line) const {
    const auto next = std::ranges::upper_bound(functions_, line, {}, &DefinedFunction::line);
    if (next == functions_.begin()) return {};
    const DefinedFunction& around = *std::prev(next);
    const auto begin = std::ranges::lower_bound(words_, around.line, {}, &Word::line);
    const auto end =
        next == functions_.end() ? words_.end() : std::ranges::lower_bound(words_, next->line, {}, &Word::line);
    if (end - begin > longest_function) return {};
    return FunctionAround{.name = around.name, .words = std::vector<Word>(begin, end)};
}

bool FunctionAround::calls_itself() const { return std::ranges::count(words, name, &Word::text) > 1; }

bool FunctionAround::may_repeat() const {
    static const std::set<std::string> repeats = {"for", "while", "do", "goto"};
    return calls_itself() || std::ranges::any_of(words, [](const Word& word) { return repeats.contains(word.text); });
}

std::map<std::string, FoundAt> definitions_of(const std::set<std::string>& functions,
                                              const std::vector<SourceFile>& files) {
    std::map<std::string, FoundAt> all;
    for (const bool compiled : {true, false})
        for (const SourceFile& file : files) {
            if (file.is_compiled() != compiled) continue;
            std::map<std::string, FoundAt> of_file;
            for (const DefinedFunction& defined : functions_defined_in(file.text))
                if (functions.contains(defined.name)) of_file[defined.name] = FoundAt{file.path.string(), defined.line};
            all.merge(of_file);
        }
    return all;
}

std::optional<FoundAt> definition_of(const std::string& function, const std::vector<SourceFile>& files) {
    const auto found = definitions_of({function}, files);
    return found.empty() ? std::nullopt : std::optional(found.begin()->second);
}

std::optional<FoundAt> first_use_of(const std::string& name, const std::vector<SourceFile>& files) {
    return in_any(files, [&](const std::string& text) {
        const std::vector<Word> words = words_without_directives(text);
        const auto use = std::ranges::find(words, name, &Word::text);
        return use == words.end() ? 0 : use->line;
    });
}

std::optional<FoundAt> first_use_of_member(const std::string& name, const std::vector<SourceFile>& files) {
    return in_any(files, [&](const std::string& text) {
        const std::vector<Word> words = words_without_directives(text);
        for (std::size_t i = 2; i < words.size(); ++i) {
            const bool behind_an_arrow = words[i - 2].text == "-" && words[i - 1].text == ">";
            if (words[i].text == name && (words[i - 1].text == "." || behind_an_arrow)) return words[i].line;
        }
        return 0;
    });
}

std::optional<FoundAt> first_use_in(const std::string& space, const std::string& name,
                                    const std::vector<SourceFile>& files) {
    return in_any(files, [&](const std::string& text) {
        const std::vector<Word> words = words_without_directives(text);
        for (std::size_t i = 3; i < words.size(); ++i)
            if (words[i].text == name && words[i - 1].text == ":" && words[i - 2].text == ":" &&
                words[i - 3].text == space)
                return words[i].line;
        return 0;
    });
}

}  // namespace headway::build
