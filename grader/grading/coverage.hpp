#pragma once

#include "grading/course.hpp"

#include "verdict/verdict.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace headway::cli {

/// Which of the student's lines the hidden tests run: a third build, with counters (g++'s), judged once more. Processes
/// that crash take their counts with them.
/// @return nothing where it cannot be measured (another compiler, no gcov)
std::vector<verdict::Coverage> measure_coverage(const Course& course, const std::filesystem::path& submission,
                                                const ExerciseInfo& info, std::uint64_t seed);

}  // namespace headway::cli
