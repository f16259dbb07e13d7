#pragma once

#include "grading/grading.hpp"

#include <mutex>
#include <semaphore>

namespace headway::cli {

/// Grades one exercise of one submission: builds it, judges both builds, and says why where tests fail. What cannot be
/// graded has a verdict that says so; nothing is thrown.
/// @param processors  of all exercises: how many builds may be compiled or judged at once
/// @param progress    held while options.progress is called
verdict::Exercise grade_exercise(const Course& course, const GradingOptions& options, const ExerciseInfo& info,
                                 std::counting_semaphore<>& processors, std::mutex& progress);

}  // namespace headway::cli
