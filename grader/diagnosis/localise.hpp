#pragma once

#include "diagnosis/own_functions.hpp"
#include "diagnosis/search.hpp"

#include "verdict/verdict.hpp"

namespace headway::diagnosis {

using verdict::throws_for_some;
/// How the sentence on the first stage that goes wrong begins.
inline constexpr const char* wrong_already = "wrong already ";

/// What can be said of a function that no mistake of the catalogue explains. Adds sentences: along which axis the
/// difference lies, whether it is a constant factor, which invariants fail.
/// @param own  which parts are wrong is told beside what follows of the student's own earlier functions
void localise(verdict::FunctionDiagnosis& diagnosis, const Function& function, judge::Student& student,
              const std::vector<Observation>& observations, OwnFunctions& own);

}  // namespace headway::diagnosis
