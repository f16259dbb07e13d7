#pragma once

#include "gradebook/marks.hpp"

#include <string>
#include <vector>

/// Marks, as other programs read them. A mark that is not complete is left empty: a zero would be a mark.
namespace headway::classroom {

/// "graded", "pending", ...
std::string to_string(gradebook::Standing standing);

/// Everything: a row a student.
std::string marks_csv(const std::vector<gradebook::Mark>& marks);

/// Moodle's grading worksheet (Assignment > Upload grading worksheet), which goes by these three columns
/// [moodle/mod/assign/feedback/offline/importgradeslib.php]; ids are those of its own export of submissions.
/// @param modified  when: Moodle skips a grade that was changed there later
std::string moodle_csv(const std::vector<gradebook::Mark>& marks, const std::string& modified);

/// Canvas's gradebook (Grades > Import): students by ID, one assignment, a second row with the points possible
/// [Canvas Instructor Guide, "How do I import grades in the Gradebook?"].
std::string canvas_csv(const std::vector<gradebook::Mark>& marks, const std::string& assignment);

}  // namespace headway::classroom
