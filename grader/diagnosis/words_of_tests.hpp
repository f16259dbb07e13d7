#pragma once

#include "diagnosis/subject.hpp"

#include "verdict/verdict.hpp"

#include <set>
#include <string>
#include <vector>

namespace headway::diagnosis {

/// Adds to what the diagnosis found what hidden tests say in words: of calls that do not fit and are answered, of what
/// is kept between calls, and of functions whose numbers show nothing.
/// @param told      "function: words", "function (refusal): words" or "function (between calls): words"
/// @param refusing  functions that refuse what does not fit
void take_words_of_hidden_tests(std::vector<verdict::FunctionDiagnosis>& functions,
                                const std::vector<std::string>& told, const Subject& subject,
                                const std::set<std::string>& refusing);

}  // namespace headway::diagnosis
