#pragma once

#include "classroom/grading_run.hpp"

#include "grading/course.hpp"

#include <filesystem>

namespace headway::classroom {

/// Grades on this machine, one exercise on one processor at a time, in a folder of its own below `scratch` that is gone
/// afterwards. May be called from several threads.
Grader local_grader(const cli::Course& course, std::uint64_t seed, std::filesystem::path scratch);

/// What the exercises of this course are judged with today: changes with tests, compiler, headers, seed and the limits
/// of policy.toml.
std::map<std::string, std::string> suites_of(const cli::Course& course, std::uint64_t seed);

}  // namespace headway::classroom
