#pragma once

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

/// The mistakes found in `functions`, each once, with its texts for the exercise.
std::vector<verdict::NamedMistake> named_mistakes(const std::vector<verdict::FunctionDiagnosis>& functions,
                                                  const std::string& exercise_number);

}  // namespace headway::diagnosis
