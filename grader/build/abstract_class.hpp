#pragma once

#include "build/compiler_words.hpp"
#include "submission/submission.hpp"

#include <string>
#include <vector>

namespace headway::build {

/// What to do where the compiler says that a class is abstract: which functions it does not override and, where the
/// class has one of that name, that it is declared otherwise. Empty if `words` say nothing of the kind.
std::string advice_on_abstract_class(const CompilerWords& words, const std::vector<SourceFile>& files);

}  // namespace headway::build
