#pragma once

#include "grading/course.hpp"

#include <filesystem>
#include <vector>

namespace headway::cli {

/// Whether a folder is exercises/, solutions/ or stubs/ of this course.
bool is_own(const Course& course, const std::filesystem::path& code);

/// Called before anything of a submission is compiled or run. One's own exercises/, solutions/ and stubs/ go on without
/// a jail, and standard error says so; a folder that may be somebody else's does not.
/// @throws CourseError if it needs a jail that cannot be made here
void see_to_the_jail(const Course& course, const std::filesystem::path& submission, sandbox::Unsafe unsafe);

/// What no submission may read: hidden suites, solutions, the judge.
std::vector<std::filesystem::path> closed_files(const std::filesystem::path& root,
                                                const std::filesystem::path& programs);

/// Takes the rights to read these from all other users of this machine: without Landlock, the weaker jail relies on
/// that.
void close_to_other_users(const std::vector<std::filesystem::path>& files);

}  // namespace headway::cli
