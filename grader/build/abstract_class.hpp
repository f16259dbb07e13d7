#pragma once

#include "build/compiler_words.hpp"
#include "submission/submission.hpp"

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

namespace headway::build {

/// What to do where the compiler says that a class is abstract: which functions it does not override and, where the
/// class has one of that name, that it is declared otherwise. Empty if `words` say nothing of the kind.
std::string advice_on_abstract_class(const CompilerWords& words, const std::vector<SourceFile>& files);

/// What another message about const comes from: it names a function of the class's own that `words` say it should
/// override, and does not. Empty if it names none.
std::string cause_in_abstract_class(const CompilerWords& words, const verdict::CompilerMessage& message,
                                    const std::vector<SourceFile>& files);

}  // namespace headway::build
