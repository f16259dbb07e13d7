#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headway::build {

/// A name, a number, one character of punctuation, or a literal with its quotes.
struct Word {
    std::string text;
    int line = 0;
    bool begins_line = false;

    bool is_name() const;
    bool is_number() const;
    bool is_literal() const;
};

/// The most words of one text; no honest one has a tenth of that. A word may be one byte, and takes ten times its
/// memory.
constexpr std::size_t most_words_read = 400'000;

/// A source as the compiler's preprocessor reads it: lines that end with a backslash are joined, comments are gone, and
/// %: is #. Directives are words like all others. Takes any text, and stops after `most_words_read`.
std::vector<Word> words_of(std::string_view text);
/// Without #include, #define and the like, as a macro's text defines nothing where it stands, and without what #if 0
/// leaves out.
std::vector<Word> words_without_directives(std::string_view text);

/// Whether there is such a word, and it is this one.
inline bool stands(const std::vector<Word>& words, std::size_t i, std::string_view text) {
    return i < words.size() && words[i].text == text;
}

}  // namespace headway::build
