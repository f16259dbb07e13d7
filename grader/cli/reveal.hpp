#pragma once

#include "cli/commands.hpp"

namespace headway::cli {

/// Whether a right program of an exercise may be shown: the student's own passes, or gives up. If not, this says so.
/// @param command  that shows it   @param what  it shows, after "./headway diff 03 shows"
bool may_be_shown(const Course& course, const ExerciseInfo& info, Reveal reveal, const std::string& command,
                  const std::string& what);

}  // namespace headway::cli
