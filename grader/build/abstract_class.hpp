#pragma once

#include "build/compiler_words.hpp"
#include "build/own_classes.hpp"

#include "verdict/verdict.hpp"

#include <string>

namespace headway::build {

/// What to do where the compiler says that a class is abstract: which functions it does not override and, where the
/// class has one of that name, that it is declared otherwise. Empty if `words` say nothing of the kind.
std::string advice_on_abstract_class(const CompilerWords& words, OwnClasses& classes);

/// What another message about const comes from: it names a function of the class's own that `words` say it should
/// override, and does not. Empty if it names none.
std::string cause_in_abstract_class(const CompilerWords& words, const verdict::CompilerMessage& message,
                                    OwnClasses& classes);

/// In what a function differs that is marked override and overrides nothing, where `words` tell how the one is declared
/// that it should override. Empty for all else.
std::string why_it_overrides_nothing(const CompilerWords& words, const verdict::CompilerMessage& message,
                                     OwnClasses& classes);

}  // namespace headway::build
