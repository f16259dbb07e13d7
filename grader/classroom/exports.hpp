#pragma once

#include "classroom/platform_numbers.hpp"
#include "classroom/roster.hpp"
#include "gradebook/marks.hpp"

#include <string>
#include <vector>

/// Marks, as other programs read them. A mark that is not complete is left empty: a zero would be a mark.
namespace headway::classroom {

/// "graded", "pending", ...
std::string to_string(gradebook::Standing standing);

/// What rounding has added to a total, or taken from it.
double by_rounding(const gradebook::Mark& mark);

/// Whether nothing of what counts was handed in.
bool handed_in_nothing(const gradebook::Mark& mark);

/// Takes exercises that count nothing (points = 0 in class.toml) out of every mark: they are not part of this class.
void leave_out_what_does_not_count(std::vector<gradebook::Mark>& marks);

/// Everything: one row per student. With a roster also names and sections, and who is not in it.
std::string marks_csv(const std::vector<gradebook::Mark>& marks, const Roster& roster = {});

/// Moodle's grading worksheet (Assignment > Upload grading worksheet), which goes by the names of columns
/// [moodle/mod/assign/feedback/offline/importgradeslib.php].
/// @param modified      when: Moodle skips a grade that was changed there later
/// @param participants  who has a row: Moodle knows people by that number alone
std::string moodle_csv(const std::vector<gradebook::Mark>& marks, const std::string& modified,
                       const Numbers& participants, const Roster& roster = {});

/// How a platform's gradebook shows the marks.
struct GradeColumns {
    enum class Of { total, each_exercise };
    std::string assignment = "Headway";  ///< its name there; with one per exercise, what their names begin with
    Of of = Of::total;
};

/// Whether somebody has a row in Canvas's gradebook: with a roster only those in it, since Canvas refuses a row of
/// anybody else, or makes a student of it. A number that is not Canvas's is no login either; any other id may be one.
bool has_canvas_row(const std::string& student, const Numbers& users, const Roster& roster);

/// Canvas's gradebook (Grades > Import): students by ID, assignments, a second row with the points possible
/// [Canvas Instructor Guide, "How do I import grades in the Gradebook?"].
std::string canvas_csv(const std::vector<gradebook::Mark>& marks, const GradeColumns& columns, const Numbers& users,
                       const Roster& roster = {});

/// Whether somebody has a row in Brightspace's import: with a roster only those in it. A number that Brightspace's own
/// list does not have may be somebody else's there; any other id may be a user name.
bool has_brightspace_row(const std::string& student, const Roster& roster);

/// Brightspace's import of grades (Grades > Enter Grades > Import): people by OrgDefinedId or Username, a column of
/// points for each grade item [https://community.d2l.com/brightspace/kb/articles/3538-importing-grades]. The last
/// column ends a row whose last mark is empty, and ids begin with #, as in Brightspace's own export: a spreadsheet
/// leaves them their zeros, and takes none for a formula [https://kb.wisc.edu/page.php?id=4330].
std::string brightspace_csv(const std::vector<gradebook::Mark>& marks, const GradeColumns& columns,
                            const Roster& roster = {});

}  // namespace headway::classroom
