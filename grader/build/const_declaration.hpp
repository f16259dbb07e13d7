#pragma once

#include "build/compiler_words.hpp"
#include "submission/words_of_files.hpp"

#include "verdict/verdict.hpp"

#include <string>

namespace headway::build {

/// g++ marks the right side of `a /= b` where a is const: the marks and the column move to the left side.
void mark_what_is_assigned_to(verdict::CompilerMessage& message, const CompilerWords& words);

/// What to do where a message is about a change of something const, and it is a variable that the function declares
/// itself: its line, and of auto& shape = x.shape() why it is const. Empty for all else; of a parameter the header says
/// that it is const.
std::string advice_on_const_variable(const verdict::CompilerMessage& message, WordsOfFiles& files);

}  // namespace headway::build
