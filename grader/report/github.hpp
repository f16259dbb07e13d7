#pragma once

#include "report/findings.hpp"

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

/// A verdict in GitHub Actions.
namespace headway::report {

/// Workflow commands: an error beside each line that is to blame. @param findings  with files from the repository's
/// root
std::string github_annotations(const std::vector<Finding>& findings);

/// `text` for the log of a job. The runner takes a line that begins with "::", and anything after "##[", for a command,
/// and what a submission says may be wrapped to begin a line: from the first line to the last, commands are switched
/// off.
/// @param token  what switches them on again; nobody who has a say in `text` can know it
std::string github_without_commands(const std::string& text, const std::string& token);

/// Markdown for the step summary: a row an exercise, all points, and what is wrong.
std::string github_summary(const verdict::Verdict& verdict);

}  // namespace headway::report
