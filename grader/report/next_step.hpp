#pragma once

#include <string>
#include <string_view>
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

/// Whether this is the folder of the person who types the command, and nobody else's.
bool is_the_students_own(std::string_view submission);

/// The last line of a verdict: a command to type. Where somebody else's submission was graded, hints and lessons are
/// not for the reader; and where there is nothing to show of it, no line is written.
void show_next_step(Page& page, const std::vector<verdict::Exercise>& exercises, const std::string& submission);

/// "./headway grade 03 --submission solutions"; the option is left out for the student's own folder.
std::string grade_command(const verdict::Exercise& exercise, const std::string& submission);

}  // namespace headway::report
