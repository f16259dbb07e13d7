#pragma once

#include "submission/source_words.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace headway::build {

/// What a file declares outside of functions and types: a function, a type, a variable or an alias; or a directive.
struct Declaration {
    std::vector<Word> words;
    /// What others mention to get there: a function's name; of anything else, all that it mentions.
    std::vector<std::string> names;
    std::string function;  ///< which it defines, if it is one
    std::size_t body = 0;  ///< of `words`: where its block begins, if it has one
    bool is_directive = false;

    int first_line() const { return words.front().line; }
    int last_line() const { return words.back().line; }
};

/// In one pass over the words of words_of(), by the way in which programs are written: what is between the brackets of
/// a namespace is outside, too.
/// @return nothing where brackets do not match, as where `#if` and `#else` open two blocks and close one
std::optional<std::vector<Declaration>> declarations_in(const std::vector<Word>& words);

}  // namespace headway::build
