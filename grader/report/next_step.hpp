#pragma once

#include <string>
#include <vector>

#include "terminal/page.hpp"
#include "verdict/verdict.hpp"

namespace headway::report {

/// Never graded: only number, name, title and max_points are set.
bool is_not_graded(const verdict::Exercise& exercise);

/// Nothing was written in any of them yet, as far as was graded.
bool are_untouched(const std::vector<verdict::Exercise>& exercises);

/// The command to type next, and what it is for.
struct NextStep {
    std::string command;
    std::string purpose;
};

NextStep next_step(const std::vector<verdict::Exercise>& exercises, const std::string& submission);

/// The last line of what a student sees: a command to type.
void show_next_step(Page& page, const std::vector<verdict::Exercise>& exercises, const std::string& submission);

/// "./headway grade 03 --submission solutions"; the option is left out for the student's own folder.
std::string grade_command(const verdict::Exercise& exercise, const std::string& submission);

}  // namespace headway::report
