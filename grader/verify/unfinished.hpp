#pragma once

#include "grading/course.hpp"

#include <filesystem>
#include <string>
#include <vector>

/// What ./headway new leaves to be written.
namespace headway::cli {

/// The mark that stands in templates/ wherever something is to be written.
inline constexpr const char* to_be_filled_in = "FILL_IN";

/// The files of an exercise in which that mark still stands, as paths from `course`, sorted. Mutants are refused on
/// their own, when they are read.
std::vector<std::filesystem::path> unfinished_files(const std::filesystem::path& course, const ExerciseInfo& info);

}  // namespace headway::cli
