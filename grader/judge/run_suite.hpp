#pragma once

#include "student/hidden_test.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace headway::judge {

/// A suite, with its name for GoogleTest. @throws std::runtime_error if the exercise has none
const std::pair<const std::string, Suite>& suite_of(const std::string& exercise);

/// Runs the hidden tests against the student, or only the one of this name. Once in a process: GoogleTest forgets no
/// test. @return the tests, as in a verdict
nlohmann::json run_suite(const std::pair<const std::string, Suite>& suite, Session session,
                         const std::string& only = "");

/// The same. @return how each test compared (name, all, blind), and what was asked in sweeps: see Sweep
nlohmann::json run_comparisons(const std::pair<const std::string, Suite>& suite, Session session);

}  // namespace headway::judge
