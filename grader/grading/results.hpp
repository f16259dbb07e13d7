#pragma once

#include "grading/course.hpp"

#include "verdict/verdict.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace headway::cli {

/// The last grading of an exercise. Nothing if there was none, or if it cannot be read (damaged, of another version):
/// the next grading then writes a new one.
std::optional<verdict::Exercise> last_result(const Course& course, const std::filesystem::path& submission,
                                             const ExerciseInfo& info);

/// The last grading of an exercise, if it is about the sources as they are now. @throws build::BadSubmission
std::optional<verdict::Exercise> current_result(const Course& course, const std::filesystem::path& submission,
                                                const ExerciseInfo& info, std::uint64_t seed);

}  // namespace headway::cli
