#pragma once

#include "submission/words_of_files.hpp"

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

namespace headway::build {

/// What to do where a name is said to be unknown, and a line above in the same function declares it that has an error
/// itself: compilers pass over all that follows there. Empty for all else.
/// @param earlier  errors that came before it
std::string advice_on_earlier_error(const verdict::CompilerMessage& message,
                                    const std::vector<verdict::CompilerMessage>& earlier, WordsOfFiles& files);

}  // namespace headway::build
