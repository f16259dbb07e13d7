#pragma once

#include "build/workspace.hpp"
#include "verdict/verdict.hpp"

#include <vector>

namespace headway::cli {

/// Says of the failures in which line of the student's own files each happened, where the program in which they did
/// tells that. @param tests  as the judge found them in this build
void find_lines(std::vector<verdict::Test>& tests, const build::Workspace& workspace, build::Build build);

/// Says of each function that a failed test or the diagnosis names where the submission defines it.
void find_functions(verdict::Exercise& exercise, const std::vector<build::SourceFile>& files);

}  // namespace headway::cli
