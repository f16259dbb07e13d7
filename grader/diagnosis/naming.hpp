#pragma once

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

/// One mistake in two functions is likelier than two: where the mistake of a function cannot be told from one that is
/// found in another function too, that one goes first.
void prefer_what_others_have(std::vector<verdict::FunctionDiagnosis>& functions);

/// The mistakes found in `functions`, each once, with its texts for the exercise.
std::vector<verdict::NamedMistake> named_mistakes(const std::vector<verdict::FunctionDiagnosis>& functions,
                                                  const std::string& exercise_number);

}  // namespace headway::diagnosis
