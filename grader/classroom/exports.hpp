#pragma once

#include "classroom/roster.hpp"
#include "gradebook/marks.hpp"

#include <string>
#include <vector>

/// Marks, as other programs read them. A mark that is not complete is left empty: a zero would be a mark.
namespace headway::classroom {

/// "graded", "pending", ...
std::string to_string(gradebook::Standing standing);

/// Whether an id is Moodle's participant or Canvas's user: digits only.
bool is_number(const std::string& id);

/// Whether nothing of what counts was handed in.
bool handed_in_nothing(const gradebook::Mark& mark);

/// Takes exercises that count nothing (points = 0 in class.toml) out of every mark: they are not part of this class.
void leave_out_what_does_not_count(std::vector<gradebook::Mark>& marks);

/// Everything: one row per student. With a roster also names and sections, and who is not in it.
std::string marks_csv(const std::vector<gradebook::Mark>& marks, const Roster& roster = {});

/// Moodle's grading worksheet (Assignment > Upload grading worksheet), which goes by the names of columns
/// [moodle/mod/assign/feedback/offline/importgradeslib.php]; ids are those of its own export of submissions.
/// @param modified  when: Moodle skips a grade that was changed there later
std::string moodle_csv(const std::vector<gradebook::Mark>& marks, const std::string& modified,
                       const Roster& roster = {});

/// How Canvas's gradebook shows the marks.
struct CanvasColumns {
    enum class Of { total, each_exercise };
    std::string assignment = "Headway";  ///< its name there; with one per exercise, what their names begin with
    Of of = Of::total;
};

/// Canvas's gradebook (Grades > Import): students by ID, assignments, a second row with the points possible
/// [Canvas Instructor Guide, "How do I import grades in the Gradebook?"]. With a roster only those in it: Canvas
/// refuses a row of anybody else, or makes a student of it.
std::string canvas_csv(const std::vector<gradebook::Mark>& marks, const CanvasColumns& columns,
                       const Roster& roster = {});

}  // namespace headway::classroom
