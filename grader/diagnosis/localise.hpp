#pragma once

#include "diagnosis/search.hpp"

#include "verdict/verdict.hpp"

namespace headway::diagnosis {

/// What can be said of a function that no mistake of the catalogue explains. Adds sentences: along which axis the
/// difference lies, whether it is a constant factor, which invariants fail.
void localise(verdict::FunctionDiagnosis& diagnosis, const Function& function, judge::Student& student,
              const std::vector<Observation>& observations);

}  // namespace headway::diagnosis
