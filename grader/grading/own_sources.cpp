#include "grading/own_sources.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace headway::cli {
namespace {

bool is_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether such a line can begin a function: at the left, and of nothing else.
bool may_begin_a_function(const std::string& line) {
    if (line.empty() || line.find('(') == std::string::npos || line.ends_with(';')) return false;
    return std::isalpha(static_cast<unsigned char>(line.front())) != 0;
}

/// "Tensor ex01::softmax_rows(const Tensor& scores) {" -> "softmax_rows"
std::string name_in(const std::string& line) {
    const std::size_t end = line.find('(');
    std::size_t begin = end;
    while (begin > 0 && is_of_a_name(line[begin - 1])) --begin;
    return line.substr(begin, end - begin);
}

/// Without what stands in quotes or in a comment behind the code.
std::string code_in(const std::string& line) {
    std::string code;
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (is_quoted && line[i] == '\\') {
            ++i;
        } else if (line[i] == '"') {
            is_quoted = !is_quoted;
        } else if (!is_quoted) {
            if (line.compare(i, 2, "//") == 0) break;
            code += line[i];
        }
    }
    return is_quoted ? line : code;  // quotes of another kind: what they hold is not known
}

void add_words(std::vector<std::string>& words, const std::string& line) {
    std::string word;
    for (const char c : code_in(line) + ' ') {
        if (is_of_a_name(c))
            word += c;
        else if (!word.empty())
            words.push_back(std::exchange(word, {}));
    }
}

/// By which words others get there. Of what is no function, any word of its first line may be its name.
std::vector<std::string> names_of(const std::string& first_line) {
    std::vector<std::string> names;
    const std::string before = first_line.substr(0, first_line.find('('));
    if (may_begin_a_function(first_line) && before.find('=') == std::string::npos) {
        names.push_back(name_in(first_line));
        if (!names.front().empty()) return names;
    }
    add_words(names, first_line);
    return names;
}

/// Whether all that is opened there is closed there, too: else the lines are not written as these are read.
bool closes_what_it_opens(const std::vector<std::string>& lines) {
    std::ptrdiff_t depth = 0;
    for (const std::string& line : lines) {
        const std::string code = code_in(line);
        depth += std::ranges::count(code, '{') - std::ranges::count(code, '}');
    }
    return depth <= 0 || lines.front().starts_with("namespace");  // the last one closes namespaces, too
}

bool mention(const std::vector<std::string>& words, const std::string& name) {
    return std::ranges::find(words, name) != words.end();
}

}  // namespace

OwnSources::OwnSources(const std::vector<build::SourceFile>& files) {
    for (const build::SourceFile& file : files) {
        std::istringstream stream(file.text);
        std::size_t number = 0;
        bool is_first = true;
        for (std::string line; std::getline(stream, line);) {
            ++number;
            const bool begins = !line.empty() && (is_of_a_name(line.front()) || line.front() == '#' ||
                                                  line.front() == '[' || line.front() == ':');
            if (begins || is_first) parts_.push_back({file.path.string(), number, {}});
            is_first = false;
            parts_.back().lines.push_back(std::move(line));
        }
    }
}

const OwnSources::Part* OwnSources::part_around(const verdict::SourceLine& at) const {
    for (const Part& part : parts_) {
        const auto first = static_cast<std::ptrdiff_t>(part.first_line);
        if (part.file == at.file && first <= at.line && at.line < first + std::ssize(part.lines)) return &part;
    }
    return nullptr;
}

std::string OwnSources::function_around(const verdict::SourceLine& at) const {
    std::string name;
    for (const Part& part : parts_)
        if (part.file == at.file && static_cast<std::ptrdiff_t>(part.first_line) <= at.line &&
            may_begin_a_function(part.lines.front()))
            name = name_in(part.lines.front());
    return name;
}

bool OwnSources::may_reach(std::vector<const Part*> reached, std::vector<std::string> words,
                           const std::string& other) const {
    while (!mention(words, other)) {
        const std::size_t before = reached.size();
        for (const Part& part : parts_) {
            if (std::ranges::find(reached, &part) != reached.end()) continue;
            const std::vector<std::string> names = names_of(part.lines.front());
            if (std::ranges::none_of(names, [&](const std::string& name) { return mention(words, name); })) continue;
            if (!closes_what_it_opens(part.lines)) return true;
            reached.push_back(&part);
            for (const std::string& line : part.lines) add_words(words, line);
        }
        if (reached.size() == before) return false;
    }
    return true;
}

bool OwnSources::never_calls(const std::string& function, const std::string& other) const {
    std::vector<const Part*> reached;
    std::vector<std::string> words;
    for (const Part& part : parts_) {
        if (!may_begin_a_function(part.lines.front()) || name_in(part.lines.front()) != function) continue;
        if (!closes_what_it_opens(part.lines)) return false;
        reached.push_back(&part);
        for (const std::string& line : part.lines) add_words(words, line);
    }
    return !reached.empty() && !may_reach(std::move(reached), std::move(words), other);
}

bool OwnSources::calls_none_before(const verdict::SourceLine& at, const std::string& other) const {
    const Part* part = part_around(at);
    if (part == nullptr || !may_begin_a_function(part->lines.front()) || !closes_what_it_opens(part->lines))
        return false;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < part->lines.size() && std::cmp_less_equal(part->first_line + i, at.line); ++i)
        add_words(words, part->lines[i]);
    // In a loop, what stands below may come before.
    for (const char* loop : {"for", "while", "do", "goto"})
        if (mention(words, loop)) return false;
    return !may_reach({part}, std::move(words), other);
}

}  // namespace headway::cli
