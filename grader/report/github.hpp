#pragma once

#include "../verdict/verdict.hpp"

#include <string>

/// A verdict in GitHub Actions.
namespace headway::report {

/// Workflow commands: an error on the line that is to blame, or on the first where none is.
/// @param folder  of the exercises, from the repository's root: "exercises"
std::string github_annotations(const verdict::Verdict& verdict, const std::string& folder);

/// Markdown for the step summary: a row an exercise, and what is wrong.
std::string github_summary(const verdict::Verdict& verdict);

}  // namespace headway::report
