#pragma once

#include "submission/function_places.hpp"
#include "submission/source_words.hpp"
#include "submission/submission.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headway::build {

// The one bound on what is read of sources to give advice. The grader reads them itself, in no jail and on no budget of
// time, and they are read in full even where the compiler skips them. For a larger submission the compiler's words
// stand alone.
constexpr std::size_t most_words_for_advice = 20'000;  ///< of all files together; nobody's exercise has a third of that
constexpr std::size_t most_bytes_for_advice = std::size_t{256} << 10U;
constexpr std::ptrdiff_t most_words_of_a_line = 500;
constexpr std::size_t longest_name_for_advice = 80;  ///< in ASCII: with a longer one, or another, nothing is read

/// Whether the files are within that bound. Replays do not count: they are no part of a submission.
bool is_read_for_advice(const std::vector<SourceFile>& files);

/// The files that are read for advice: all but replays, or none.
std::vector<SourceFile> read_for_advice(const std::vector<SourceFile>& files);

/// One file, without directives, and what many questions about it need.
struct WordsOfFile {
    std::vector<Word> words;
    std::vector<std::size_t> closing;  ///< of each bracket that opens, whatever kind, the index of the one that closes
                                       ///< it; for all other words, and where there is none, words.size()
    std::vector<DefinedFunction> functions;

    WordsOfFile() = default;
    explicit WordsOfFile(const std::string& text);

    /// Where the words of a line begin in `words`, and how many they are. None of a line that is too long.
    struct Line {
        std::size_t begin = 0, end = 0;
    };
    Line line(int number) const;
};

/// For each bracket that opens, as `closing` above.
std::vector<std::size_t> closing_brackets(std::span<const Word> words);

/// The words of a submission's files that are read for advice. Each file's are made once, when somebody asks for them.
class WordsOfFiles {
public:
    /// @param files  outlive this
    explicit WordsOfFiles(const std::vector<SourceFile>& files) : given_(files) {}

    /// Whether they are read at all.
    bool are_read() { return !texts().empty(); }
    /// Without any words if no file has that name, or it is not read.
    const WordsOfFile& of(const std::string& name);

private:
    const std::map<std::string, std::string>& texts();

    const std::vector<SourceFile>& given_;
    std::optional<std::map<std::string, std::string>> texts_;  ///< once somebody asks
    std::map<std::string, WordsOfFile> known_;
};

}  // namespace headway::build
