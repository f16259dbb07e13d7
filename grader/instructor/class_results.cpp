#include "instructor/class_results.hpp"

#include "terminal/exit_status.hpp"

#include "classroom/exports.hpp"
#include "intake/student_id.hpp"
#include "submission/digest.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using gradebook::Gradebook;
using gradebook::Mark;
using report::counted;

fs::path roster_file(const ClassArguments& arguments) {
    if (arguments.roster) return *arguments.roster;
    return fs::absolute(arguments.gradebook).parent_path() / "roster.csv";
}

classroom::Roster read_roster(const ClassArguments& arguments) {
    const fs::path file = roster_file(arguments);
    if (!arguments.roster && !fs::exists(file)) return {};
    constexpr std::uintmax_t most_bytes = 16U << 20U;
    std::error_code none;
    if (fs::is_regular_file(file, none) && fs::file_size(file, none) > most_bytes)
        throw UsageError(fmt::format("{} is larger than {} MiB: no roster is", file.string(), most_bytes >> 20U));
    try {
        return classroom::Roster::parse(build::read_file(file), file.string());
    } catch (const std::runtime_error& error) {
        throw UsageError(fmt::format("{}. Nothing was written.", error.what()));
    }
}

/// A list by other ids would give everybody a second row, with a mark of 0.
void require_known_people(const classroom::Roster& roster, const std::set<std::string>& known, const fs::path& file) {
    std::vector<std::string> ids;
    std::ranges::copy_if(known, std::back_inserter(ids), intake::is_usable_id);
    constexpr std::size_t few = 5;  // they may be guests
    const auto is_listed = [&](const std::string& id) { return roster.find(id) != nullptr || roster.is_made_up(id); };
    if (roster.empty() || ids.size() < few || std::ranges::any_of(ids, is_listed)) return;
    throw UsageError(
        fmt::format("{} lists none of the {} who handed in: {}. Nothing was written. Is it this class's? Moodle's list "
                    "of participants lacks the numbers of its hand-ins: take the grading worksheet",
                    file.string(), counted(ids.size(), "student"), named(ids)));
}

bool handed_in_something(const std::string& student, const std::vector<gradebook::Attempt>& attempts) {
    return std::ranges::find(attempts, student, &gradebook::Attempt::student) != attempts.end();
}

}  // namespace

classroom::Roster roster_of(const ClassArguments& arguments, const std::set<std::string>& known) {
    classroom::Roster roster = read_roster(arguments);
    roster.go_by(known);
    require_known_people(roster, known, roster_file(arguments));
    return roster;
}

classroom::Roster roster_of(const ClassArguments& arguments, const std::vector<gradebook::Attempt>& attempts) {
    std::set<std::string> known;
    for (const gradebook::Attempt& attempt : attempts) known.insert(attempt.student);
    return roster_of(arguments, known);
}

std::vector<std::string> ids_of(const classroom::Roster& roster) {
    std::vector<std::string> ids;
    for (const classroom::Enrolled& one : roster.people()) ids.push_back(one.id);
    return ids;
}

std::string student_meant(const std::string& called, const classroom::Roster& roster,
                          const std::vector<gradebook::Attempt>& attempts) {
    const std::string id = intake::id_meant_by(called);
    if (handed_in_something(id, attempts)) return id;
    if (const classroom::Enrolled* person = roster.find(id)) return person->id;
    std::vector<std::string> ids;
    for (const classroom::Enrolled& one : roster.people())
        if (one.name == called) ids.push_back(one.id);
    if (ids.size() > 1)
        throw UsageError(
            fmt::format("{} people in the roster are called {}: {}. Which?", ids.size(), called, named(ids)));
    return ids.empty() ? id : ids.front();
}

void require_known(const std::string& student, const classroom::Roster& roster,
                   const std::vector<gradebook::Attempt>& attempts) {
    if (handed_in_something(student, attempts) || roster.find(student) != nullptr) return;
    throw UsageError(fmt::format("{} has handed in nothing that this gradebook knows{}", student,
                                 roster.empty() ? "" : ", and is not in the roster"));
}

ClassResults class_results(const Course& course, const ClassArguments& arguments, const Gradebook& gradebook) {
    const gradebook::Edition edition = current_edition(gradebook);
    ClassResults results{{gradebook, edition, policy_of(edition), gradebook.attempts(), course.tell}, {}, {}};
    results.roster = roster_of(arguments, results.graded.attempts);
    results.marks = all_marks(gradebook, edition, ids_of(results.roster));
    std::erase_if(results.marks, [&](const Mark& mark) { return results.roster.is_made_up(mark.student); });
    classroom::leave_out_what_does_not_count(results.marks);
    return results;
}

std::vector<std::string> guests(const ClassResults& results) {
    std::vector<std::string> ids;
    if (results.roster.empty()) return ids;
    for (const Mark& mark : results.marks)
        if (results.roster.find(mark.student) == nullptr) ids.push_back(mark.student);
    return ids;
}

std::vector<Mark> with_usable_ids(std::vector<Mark> marks) {
    std::erase_if(marks, [](const Mark& mark) { return !intake::is_usable_id(mark.student); });
    return marks;
}

void tell_of_test_student(const classroom::Roster& roster) {
    if (!roster.made_up().empty())
        fmt::print(stderr,
                   "headway: \"Student, Test\" of the roster, whom Canvas made up, is no student and has no mark\n");
}

int tell_incomplete(const ClassResults& results) {
    const auto unread = open_marks(results.marks, gradebook::Standing::malformed);
    const auto untimed = open_marks(results.marks, gradebook::Standing::untimed);
    const auto pending = open_marks(results.marks, gradebook::Standing::pending);
    if (!unread.empty())
        fmt::print(
            stderr,
            "headway: {} handed in what could not be read: no mark, and no zero. ./headway class export csv says "
            "why;\n  a new hand-in settles it, or ./headway class adjust ID --points N\n",
            counted(unread.size(), "student"));
    if (!untimed.empty())
        fmt::print(
            stderr,
            "headway: no mark, and no zero, for {}: handed in at a time that is not known, with a deadline.\n  {}\n",
            named(untimed), next_for_untimed);
    if (!pending.empty())
        fmt::print(stderr, "headway: {} without a mark yet; ./headway class grade goes on with them\n",
                   counted(pending.size(), "student"));
    tell_of_test_student(results.roster);
    if (const std::vector<std::string> ids = guests(results); !ids.empty())
        fmt::print(stderr, "headway: not in the roster (guests, or mistyped ids): {}\n", fmt::join(ids, ", "));
    if (!pending.empty()) return machine_at_fault;
    return unread.empty() && untimed.empty() ? all_passed : some_did_not_pass;
}

}  // namespace headway::cli
