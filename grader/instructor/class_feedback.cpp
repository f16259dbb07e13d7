// Pages of students, on the way back to them.
#include "instructor/class_results.hpp"
#include "terminal/exit_status.hpp"

#include "classroom/exports.hpp"
#include "classroom/feedback_names.hpp"
#include "classroom/page_folder.hpp"
#include "classroom/student_page.hpp"
#include "classroom/zip_file.hpp"
#include "intake/student_id.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

namespace headway::cli {
namespace {

using gradebook::Mark;
using report::counted;

/// Who gets a page, and who does not.
struct Recipients {
    std::vector<const Mark*> marks;
    std::size_t handed_in_nothing = 0;
    std::size_t without_a_mark = 0;
};

/// A page would tell nothing: no hand-in, and nobody has decided anything.
bool has_nothing_to_tell(const Mark& mark) {
    const bool is_set = mark.set_to || std::ranges::any_of(mark.exercises, [](const gradebook::ExerciseMark& one) {
                            return one.set_to.has_value();
                        });
    return classroom::handed_in_nothing(mark) && mark.adjustments.empty() && !is_set;
}

Recipients recipients(const ClassResults& results) {
    Recipients found;
    for (const Mark& mark : results.marks) {
        if (!intake::is_usable_id(mark.student)) continue;  // it would be the name of a file
        if (!mark.complete)
            ++found.without_a_mark;
        else if (has_nothing_to_tell(mark))
            ++found.handed_in_nothing;
        else
            found.marks.push_back(&mark);
    }
    return found;
}

std::string page_of(const ClassResults& results, const Mark& mark) {
    return classroom::student_page(results.graded, mark, results.roster.name_of(mark.student),
                                   classroom::Copy::students);
}

/// What the student's own hand-ins came as, the newest first.
std::vector<std::string> entries_of(const ClassResults& results, const std::string& student) {
    std::vector<std::string> entries;
    for (const gradebook::Attempt& attempt : results.graded.attempts)
        if (attempt.student == student) entries.push_back(attempt.entry);
    std::ranges::reverse(entries);
    return entries;
}

std::optional<std::string> name_in_zip(const ClassArguments& arguments, const ClassResults& results,
                                       const classroom::Numbers& participants, const std::string& student) {
    const std::vector<std::string> entries = entries_of(results, student);
    if (arguments.format == "canvas-feedback") return classroom::canvas_feedback_name(entries);
    const auto number = participants.find(student);
    return classroom::moodle_feedback_name(entries, number == participants.end() ? "" : number->second);
}

void write_folder(const ClassArguments& arguments, const ClassResults& results, const Recipients& found) {
    std::set<std::string> names;
    for (const Mark* mark : found.marks) names.insert(mark->student + ".html");
    const classroom::PageFolder folder(arguments.folder, names);
    for (const Mark* mark : found.marks) folder.write(mark->student + ".html", page_of(results, *mark));
    folder.finish();
}

/// @return whom the platform could not place
std::vector<std::string> write_zip(const ClassArguments& arguments, const ClassResults& results,
                                   const Recipients& found) {
    std::vector<std::string> nowhere;
    const classroom::Numbers participants = classroom::moodle_participants(results.roster, results.graded.attempts);
    classroom::ZipFile zip(arguments.folder);
    for (const Mark* mark : found.marks) {
        if (const auto name = name_in_zip(arguments, results, participants, mark->student))
            zip.add(*name, page_of(results, *mark));
        else
            nowhere.push_back(mark->student);
    }
    if (nowhere.size() == found.marks.size() && !nowhere.empty())
        throw UsageError(fmt::format(
            "none of these hand-ins has a name that {} gave it, so that it could place no page: nothing was written. "
            "./headway class export feedback DIR writes pages to hand out otherwise",
            arguments.format == "canvas-feedback" ? "Canvas" : "Moodle"));
    zip.finish();
    return nowhere;
}

}  // namespace

int export_feedback(const ClassArguments& arguments, const ClassResults& results) {
    const Recipients found = recipients(results);
    std::vector<std::string> nowhere;
    try {
        if (arguments.format == "feedback")
            write_folder(arguments, results, found);
        else
            nowhere = write_zip(arguments, results, found);
    } catch (const UsageError&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw UsageError(error.what());
    }
    fmt::print("{} in {}.\n", counted(found.marks.size() - nowhere.size(), "page"), arguments.folder);
    if (found.handed_in_nothing > 0)
        fmt::print("{} handed in nothing: no page.\n", counted(found.handed_in_nothing, "student"));
    if (found.without_a_mark > 0)
        fmt::print("{} without a mark: left out.\n", counted(found.without_a_mark, "student"));
    if (!nowhere.empty())
        fmt::print(stderr, "headway: left out, since their hand-ins have no name that the platform gave them: {}\n",
                   fmt::join(nowhere, ", "));
    const int status = tell_incomplete(results);
    return status == all_passed && !nowhere.empty() ? some_did_not_pass : status;
}

}  // namespace headway::cli
