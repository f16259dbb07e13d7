#pragma once

#include <span>

namespace headway::build {

/// An error or warning that beginners meet, as g++ and clang++ say it.
struct BeginnersError {
    const char* words;   ///< a regular expression that is found in the compiler's words; notes follow after line ends
    const char* line;    ///< one that is found in the line of source; empty: any line
    const char* advice;  ///< $1 is the first group of `words`, @1 that of `line`
};

/// Advice that fits whatever does not fit, where nothing better is known.
inline constexpr const char* compare_one_by_one =
    "How many arguments there are, or of which types, is not as declared. Compare them one by one.";

/// How advice begins where something const is given to what may change it.
inline constexpr const char* given_is_const =
    "What is given here is const, and a reference without const could change it";

/// Of two that are found the first counts.
std::span<const BeginnersError> beginners_errors();

/// What is a warning with every compiler: counts after the errors.
std::span<const BeginnersError> beginners_warnings();

/// What those write who come from Python, and give where another type is wanted: counts before any of the others.
std::span<const BeginnersError> habits_of_other_languages();

/// Names of the standard library whose header is not included: counts before what is said of any unknown name.
std::span<const BeginnersError> missing_includes();

}  // namespace headway::build
