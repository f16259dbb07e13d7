#pragma once

#include "build/compiler_words.hpp"
#include "build/presentable.hpp"
#include "submission/submission.hpp"

#include "verdict/verdict.hpp"

#include <string_view>
#include <vector>

namespace headway::build {

/// What a compiler said, told at lines of the submission: names that were handed in, lines that they have, their text
/// as handed in. What has no such line is left out, what is said twice is told once, and a flood is cut off.
std::vector<verdict::CompilerMessage> own_messages(Severity severity, std::string_view output,
                                                   const std::vector<SourceFile>& files, const NamesForStudent& names);

}  // namespace headway::build
