#pragma once

#include "verdict/verdict.hpp"

#include <string>

/// A verdict in GitHub Actions.
namespace headway::report {

/// Workflow commands: an error on the line that is to blame, or on the first where none is.
/// @param folder  of the exercises, from the repository's root: "exercises"
std::string github_annotations(const verdict::Verdict& verdict, const std::string& folder);

/// `text` for the log of a job. The runner takes a line that begins with "::", and anything after "##[", for a command,
/// and what a submission says may be wrapped to begin a line: from the first line to the last, commands are switched
/// off.
/// @param token  what switches them on again; nobody who has a say in `text` can know it
std::string github_without_commands(const std::string& text, const std::string& token);

/// Markdown for the step summary: a row an exercise, and what is wrong.
std::string github_summary(const verdict::Verdict& verdict);

}  // namespace headway::report
