#pragma once

#include "grading/course.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace headway::cli {

/// Runs a lab that was linked with somebody else's code, in the jail: what it prints is relayed as plain text, and its
/// page and its numbers are copied out when it ends. A training that is stopped leaves nothing.
/// @param arguments  the lab's own   @return its exit status
/// @throws CourseError where there is no jail; UsageError for what cannot be had in one
int run_lab_in_jail(const Course& course, const std::string& lab, const std::filesystem::path& program,
                    const std::vector<std::string>& arguments);

}  // namespace headway::cli
