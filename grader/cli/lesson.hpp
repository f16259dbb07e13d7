#pragma once

#include "grading/course.hpp"

#include "report/lesson_view.hpp"

#include <string>

namespace headway::cli {

/// The lesson of an exercise, for a terminal. @throws CourseError if it is missing
std::string lesson_text(const Course& course, const ExerciseInfo& info, report::Answers answers,
                        const report::TerminalStyle& style);

}  // namespace headway::cli
