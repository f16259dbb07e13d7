#pragma once

#include "grading/course.hpp"

#include "report/terminal.hpp"

#include <string>

namespace headway::cli {

/// The next hint of the ladder, or the one of that level (0: the next one); it counts as seen.
/// @throws UsageError if there is no such level
std::string next_hint(const Course& course, const ExerciseInfo& info, int level, report::TerminalStyle style);

}  // namespace headway::cli
