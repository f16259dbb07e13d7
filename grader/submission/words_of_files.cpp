#include "submission/words_of_files.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headway::build {
namespace {

/// Advice quotes names as they are: one may not be a sentence by blanks beyond ASCII, nor as long as a file.
bool may_be_quoted(const Word& word) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    return !word.is_name() || (word.text.size() <= longest_name_for_advice && std::ranges::all_of(word.text, is_ascii));
}

}  // namespace

bool is_read_for_advice(const std::vector<SourceFile>& files) {
    std::size_t bytes = 0, count = 0;
    for (const SourceFile& file : files)
        if (!is_replay(file.path)) bytes += file.text.size();
    if (bytes > most_bytes_for_advice) return false;
    for (const SourceFile& file : files) {
        if (is_replay(file.path)) continue;
        const std::vector<Word> words = words_of(file.text);
        if (!std::ranges::all_of(words, may_be_quoted)) return false;
        count += words.size();
    }
    return count <= most_words_for_advice;
}

std::vector<SourceFile> read_for_advice(const std::vector<SourceFile>& files) {
    std::vector<SourceFile> read;
    if (!is_read_for_advice(files)) return read;
    std::ranges::copy_if(files, std::back_inserter(read), [](const SourceFile& one) { return !is_replay(one.path); });
    return read;
}

std::vector<std::size_t> closing_brackets(std::span<const Word> words) {
    std::vector<std::size_t> closing(words.size(), words.size()), open;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& text = words[i].text;
        if (text == "(" || text == "[" || text == "{") open.push_back(i);
        if ((text != ")" && text != "]" && text != "}") || open.empty()) continue;
        closing[open.back()] = i;
        open.pop_back();
    }
    return closing;
}

WordsOfFile::WordsOfFile(const std::string& text)
    : words(words_without_directives(text)), closing(closing_brackets(words)), functions(functions_defined_in(text)) {}

WordsOfFile::Line WordsOfFile::line(int number) const {
    const auto begin = std::ranges::lower_bound(words, number, {}, &Word::line);
    const auto end = std::ranges::upper_bound(words, number, {}, &Word::line);
    if (end - begin > most_words_of_a_line) return {};
    return {.begin = static_cast<std::size_t>(begin - words.begin()),
            .end = static_cast<std::size_t>(end - words.begin())};
}

const std::map<std::string, std::string>& WordsOfFiles::texts() {
    if (!texts_) {
        texts_.emplace();
        for (SourceFile& file : read_for_advice(given_)) (*texts_)[file.path.string()] = std::move(file.text);
    }
    return *texts_;
}

const WordsOfFile& WordsOfFiles::of(const std::string& name) {
    static const WordsOfFile none;
    const auto text = texts().find(name);
    if (text == texts().end()) return none;
    const auto known = known_.find(name);
    return known != known_.end() ? known->second : known_.emplace(name, WordsOfFile(text->second)).first->second;
}

}  // namespace headway::build
