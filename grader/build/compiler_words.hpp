#pragma once

#include <string_view>
#include <vector>

namespace headway::build {

enum class Severity { error, warning, note };

/// Where a compiler says that something stands: a claim of the source's, which may set it by #line.
struct Place {
    std::string_view file;
    int line = 0;
    int column = 0;
};

/// A line of source as the compiler quotes it, and its ^ and ~ below.
struct Quote {
    int line = 0;
    std::string_view text;
    std::string_view marks = {};

    bool has_caret() const { return marks.find('^') != std::string_view::npos; }
};

/// One error or warning, with what the compiler tells around it.
struct CompilerWords {
    Severity severity = Severity::error;
    Place place;
    std::string_view text;
    std::vector<Quote> quotes = {};
    /// Of an error within a template or macro: who asked for it, innermost first. Of a long way a part.
    std::vector<Place> required_from = {};
    std::vector<Place> included_from = {};  ///< the same of who included it
    std::vector<CompilerWords> notes = {};  ///< and what goes on after a line end; these have none of their own

    /// Whether a note is how clang++ tells, and for macros g++, who asked for what failed.
    bool tells_who_asked() const;
};

/// Reads what g++ or clang++ print, in one pass; of very many errors, the first ones. @param output  outlives what is
/// returned
std::vector<CompilerWords> compiler_words(std::string_view output);

}  // namespace headway::build
