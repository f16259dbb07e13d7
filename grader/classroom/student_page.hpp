#pragma once

#include "classroom/graded_work.hpp"

#include <string>

namespace headway::classroom {

/// Whose copy of a page it is: an instructor's lies beside the class page and links to it, a student's stands alone.
enum class Copy { students, instructors };

/// A student's page: marks and how they come about, what was graded, and each verdict as `grade --html` shows it.
/// @param name  as the roster has it; empty where there is none
std::string student_page(const GradedClass& graded, const gradebook::Mark& mark, const std::string& name, Copy copy);

}  // namespace headway::classroom
