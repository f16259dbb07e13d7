#pragma once

#include "instructor/class_commands.hpp"

#include <map>
#include <set>
#include <string>

namespace headway::cli {

/// Whether --times names Moodle's grading worksheet.
bool times_are_moodles(const ClassArguments& arguments);

/// By student, of the file that --times names: one line per student, or Moodle's grading worksheet, of which those who
/// are not known here are told and left out.
/// @param known  ids of hand-ins
/// @throws UsageError
std::map<std::string, std::string> said_times(const ClassArguments& arguments, const std::set<std::string>& known);

}  // namespace headway::cli
