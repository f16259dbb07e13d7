#pragma once

#include "submission/source_words.hpp"
#include "submission/submission.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headway::build {

/// The words of files, without directives. Each file's are made once, when somebody asks for them.
class WordsOfFiles {
public:
    /// @param files  outlive this
    explicit WordsOfFiles(const std::vector<SourceFile>& files);

    /// None if no file has that name.
    const std::vector<Word>& of(const std::string& name);

private:
    std::map<std::string, std::string_view> texts_;
    std::map<std::string, std::vector<Word>> words_;
};

}  // namespace headway::build
