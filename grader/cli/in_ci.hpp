#pragma once

#include "cli/handed_in.hpp"

#include "verdict/verdict.hpp"

#include <string>

/// What graders in CI tell the platform that runs them.
namespace headway::cli {

/// For GitHub Actions: annotations on standard output, where the runner looks for them; the step summary, and in the
/// step's output `result` the points for GitHub Classroom, in the files that the runner names.
void tell_github(const verdict::Verdict& verdict, const HandedIn& handed_in);

/// GitLab's code quality report.
std::string code_quality(const verdict::Verdict& verdict, const HandedIn& handed_in);

/// SARIF, with files as `code_quality` names them.
std::string sarif(const verdict::Verdict& verdict, const HandedIn& handed_in);

}  // namespace headway::cli
