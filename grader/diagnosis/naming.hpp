#pragma once

#include "diagnosis/only_where.hpp"
#include "diagnosis/search.hpp"

#include "verdict/verdict.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace headway::diagnosis {

/// The set as what a function is wrong in.
/// @param others  what no answer tells from it, the likeliest first
void note(verdict::FunctionDiagnosis& function, const MistakeSet& set, const Evidence& evidence,
          const std::vector<MistakeSet>& others);

/// A mistake that is made in some calls. @param answers  that it agrees with, but for what was asked besides
void note(verdict::FunctionDiagnosis& function, const OnlyWhere& found, std::size_t answers);

/// The first of those that are found in another way, if there are any. @param why  in words
/// @return whether there are
bool note_first(verdict::FunctionDiagnosis& function, const MistakeSet& found, const char* why);

/// One mistake in two functions is likelier than two: where the mistake of a function cannot be told from one that is
/// found in another function too, that one goes first.
void prefer_what_others_have(std::vector<verdict::FunctionDiagnosis>& functions);

/// The mistakes found in `functions`, each once, with its texts for the exercise, and with what all of the functions
/// that have it leave open in its place.
std::vector<verdict::NamedMistake> named_mistakes(const std::vector<verdict::FunctionDiagnosis>& functions,
                                                  const std::string& exercise_number);

}  // namespace headway::diagnosis
