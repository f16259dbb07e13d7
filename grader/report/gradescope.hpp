#pragma once

#include "verdict/verdict.hpp"

#include <map>
#include <string>

namespace headway::report {

/// How results.json tells a verdict.
struct GradescopeOptions {
    std::string visibility = "visible";         ///< of all tests: or after_due_date, after_published, hidden
    std::map<std::string, double> points = {};  ///< what an exercise counts, by name; if not here, its own points
};

/// results.json for Gradescope [gradescope-autograders.readthedocs.io, Autograder Specifications]: a test a property.
/// An exercise that counts nothing is left out.
/// @throws std::runtime_error if an exercise could not be graded: the machine's failure is no score
nlohmann::json gradescope(const verdict::Verdict& verdict, const GradescopeOptions& options = {});

/// For a submission in which there is nothing to grade: 0 points, and what is to be done.
nlohmann::json gradescope_of_nothing(const std::string& why);

/// For a failure of the machine: no score at all, so that nobody gets a zero for it. What failed is the instructor's to
/// read, in what the autograder printed.
nlohmann::json gradescope_of_failure();

}  // namespace headway::report
