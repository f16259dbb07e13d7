#include "submission/words_of_files.hpp"

namespace headway::build {

WordsOfFiles::WordsOfFiles(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files) texts_[file.path.string()] = file.text;
}

const std::vector<Word>& WordsOfFiles::of(const std::string& name) {
    static const std::vector<Word> none;
    const auto text = texts_.find(name);
    if (text == texts_.end()) return none;
    const auto [words, is_new] = words_.try_emplace(name);
    if (is_new) words->second = words_without_directives(text->second);
    return words->second;
}

}  // namespace headway::build
