#pragma once

#include "diagnosis/diagnose.hpp"
#include "diagnosis/search.hpp"

#include "verdict/verdict.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headway::diagnosis {

/// What one function is wrong in; nothing if it is right, or not written.
/// @param exercise_number  "03"   @param calls  what the hidden tests asked, and were answered
/// @param known  mistakes of earlier functions   @param some_unnamed  whether one of these is wrong in a way that the
/// model cannot make   @param right_before  answers of earlier functions that are right; grows
std::optional<verdict::FunctionDiagnosis> investigate(const std::string& exercise_number, const Function& function,
                                                      const Workers& workers, const std::vector<AnsweredCall>& calls,
                                                      Random random, const SearchLimits& limits,
                                                      const MistakeSet& known, bool some_unnamed,
                                                      std::vector<Observation>& right_before);

}  // namespace headway::diagnosis
