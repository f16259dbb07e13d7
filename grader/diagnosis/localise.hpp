#pragma once

#include "diagnosis/search.hpp"

#include "verdict/verdict.hpp"

namespace headway::diagnosis {

/// Where nothing of the catalogue explains a function: what can be said of it nevertheless. Adds sentences: along which
/// axis the difference lies, whether it is a constant factor, which invariants fail.
void localise(verdict::FunctionDiagnosis& diagnosis, const Function& function, judge::Student& student,
              const std::vector<Observation>& observations);

}  // namespace headway::diagnosis
