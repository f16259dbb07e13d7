#pragma once

#include "grading/course.hpp"

#include <functional>

namespace headway::cli {

/// Loads the course that a program of ours is about, and runs what was asked for in it; what is thrown is said.
/// @return the exit status
int run_in_course(const std::function<int(const Course&)>& action);

}  // namespace headway::cli
