#pragma once

#include "verdict/verdict.hpp"

namespace headway::report {

/// results.json for Gradescope [gradescope-autograders.readthedocs.io, Autograder Specifications]: a test a property.
/// @throws std::runtime_error if an exercise could not be graded: the machine's failure is no score
nlohmann::json gradescope(const verdict::Verdict& verdict);

}  // namespace headway::report
