#include "build/unseen_definition.hpp"

#include "submission/function_places.hpp"
#include "submission/words_of_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace headway::build {
namespace {

bool has_at(const std::vector<Word>& words, std::size_t i, std::string_view text) {
    return i < words.size() && words[i].text == text;
}

/// Of the line of a definition: for each the file is read once more.
constexpr std::size_t most_definitions = 20;

/// Whether what stands there is within `namespace {`.
bool is_in_unnamed_namespace(const std::vector<Word>& words, std::size_t at) {
    std::vector<bool> unnamed;
    for (std::size_t i = 0; i < at; ++i) {
        if (words[i].text == "{") unnamed.push_back(i > 0 && has_at(words, i - 1, "namespace"));
        if (words[i].text == "}" && !unnamed.empty()) unnamed.pop_back();
    }
    return std::ranges::count(unnamed, true) > 0;
}

/// What is said of the definition whose name stands at `name`.
std::string reason_for(const WordsOfFile& file, std::size_t name) {
    const std::vector<Word>& words = file.words;
    for (std::size_t i = name + 2; i < file.closing[name + 1]; ++i)
        if (words[i].text == "auto")
            return "takes auto, and is so a template, of which nothing is made before it is called. Give its "
                   "parameters "
                   "the types of the header.";
    for (std::size_t i = name; i-- > 0;) {
        const std::string& text = words[i].text;
        if (text == ";" || text == "}" || text == "{") break;
        if (text == "template")
            return "is a template, of which nothing is made before it is called. Leave that line out, and write the "
                   "types of the header.";
        if (text == "inline" || text == "constexpr" || text == "consteval")
            return fmt::format("is {0}, which other files do not see. Leave {0} out.", text);
    }
    if (is_in_unnamed_namespace(words, name))
        return "is within namespace { without a name, which other files do not see. Put it behind the } of that.";
    return {};
}

}  // namespace

std::string why_not_seen_outside(const std::string& function, const std::vector<SourceFile>& files) {
    const auto found = definition_of(function, read_for_advice(files));
    if (!found) return {};
    WordsOfFiles words(files);
    const WordsOfFile& file = words.of(found->file);
    const WordsOfFile::Line line = file.line(found->line);
    std::size_t tried = 0;
    for (std::size_t i = line.begin; i < line.end && tried < most_definitions; ++i) {
        if (file.words[i].text != function || !has_at(file.words, i + 1, "(")) continue;
        ++tried;
        const std::string reason = reason_for(file, i);
        if (!reason.empty()) return fmt::format("that of {}:{} {}", found->file, found->line, reason);
    }
    return {};
}

}  // namespace headway::build
