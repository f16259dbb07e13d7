#pragma once

#include "submission/words_of_files.hpp"

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

namespace headway::build {

/// Errors of which a later one may come.
class EarlierErrors {
public:
    void add(const verdict::CompilerMessage& message);

    /// What to do where a name is said to be unknown, and a line above in the same function declares it that has an
    /// error itself: compilers pass over all that follows there; or where it is a function that stands below. Empty for
    /// all else.
    std::string advice_on(const verdict::CompilerMessage& message, WordsOfFiles& files) const;

private:
    struct Error {
        verdict::SourceLine at;
        std::string advice;
        std::string unknown, hidden;  ///< names that it is about
    };
    std::string advice_on_hidden_name(const verdict::CompilerMessage& message) const;

    std::vector<Error> earlier_;
};

}  // namespace headway::build
