#pragma once

#include "instructor/class_desk.hpp"

#include "classroom/graded_work.hpp"
#include "classroom/roster.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

/// The marks of a class and the people they belong to, as exports and pages take them.
namespace headway::cli {

struct ClassResults {
    classroom::GradedClass graded;
    classroom::Roster roster;  ///< empty without one
    std::vector<gradebook::Mark> marks;
};

/// With everybody in the roster, and without exercises that count nothing.
/// @throws UsageError if the roster cannot be used
ClassResults class_results(const Course& course, const ClassArguments& arguments,
                           const gradebook::Gradebook& gradebook);

/// Who is in the class, by the ids that hand-ins have; empty without a roster.
/// @param known  ids of hand-ins
/// @throws UsageError if the roster cannot be used, or knows nobody who handed in
classroom::Roster roster_of(const ClassArguments& arguments, const std::set<std::string>& known);
classroom::Roster roster_of(const ClassArguments& arguments, const std::vector<gradebook::Attempt>& attempts);

std::vector<std::string> ids_of(const classroom::Roster& roster);

/// The id of the student whom somebody calls so: by an id, by a folder's name, or by a name that one person of the
/// roster has. @throws UsageError if several have it
std::string student_meant(const std::string& called, const classroom::Roster& roster,
                          const std::vector<gradebook::Attempt>& attempts);

/// Whether they handed in something, or are in the roster. @throws UsageError if not
void require_known(const std::string& student, const classroom::Roster& roster,
                   const std::vector<gradebook::Attempt>& attempts);

/// Of those whose id can be a file's name; the others' rows say what is wrong with it.
std::vector<gradebook::Mark> with_usable_ids(std::vector<gradebook::Mark> marks);

/// Ids of hand-ins by people who are not in the roster; none without one.
std::vector<std::string> guests(const ClassResults& results);

/// That one row of Canvas's roster is nobody's, on the standard error.
void tell_of_test_student(const classroom::Roster& roster);

/// Who has no mark, and what is to be done about it, on the standard error. @return the exit status
int tell_incomplete(const ClassResults& results);

/// Writes pages of students as one folder, or as the zip that a platform takes back. @return the exit status
int export_feedback(const ClassArguments& arguments, const ClassResults& results);

}  // namespace headway::cli
