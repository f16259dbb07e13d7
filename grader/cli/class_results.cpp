#include "cli/class_results.hpp"

#include "cli/commands.hpp"

#include "classroom/exports.hpp"
#include "intake/entry_name.hpp"
#include "submission/digest.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <set>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using gradebook::Gradebook;
using gradebook::Mark;
using report::counted;

classroom::Roster read_roster(const ClassArguments& arguments) {
    const fs::path beside = fs::absolute(arguments.gradebook).parent_path() / "roster.csv";
    if (!arguments.roster && !fs::exists(beside)) return {};
    const fs::path file = arguments.roster ? fs::path(*arguments.roster) : beside;
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

/// Of those whose id can be a file's name; the others' rows say what is wrong with it.
std::vector<Mark> usable_marks(const classroom::GradedClass& graded, const classroom::Roster& roster) {
    gradebook::ClassRecord record = gradebook::record_of(graded.gradebook, graded.edition);
    for (const classroom::Enrolled& one : roster.people()) record.enrolled.push_back(one.id);
    std::vector<Mark> marks = gradebook::derive_marks(record, graded.policy);
    std::erase_if(marks, [](const Mark& mark) { return !intake::is_usable_id(mark.student); });
    classroom::leave_out_what_does_not_count(marks);
    return marks;
}

bool is_unread(const gradebook::ExerciseMark& one) {
    return one.open && one.standing == gradebook::Standing::malformed;
}

}  // namespace

ClassResults class_results(const Course& course, const ClassArguments& arguments, const Gradebook& gradebook) {
    const gradebook::Edition edition = current_edition(gradebook);
    ClassResults results{{gradebook, edition, gradebook::MarkingPolicy::parse(edition.policy, exercise_names(course)),
                          gradebook.attempts(), course.tell},
                         read_roster(arguments),
                         {}};
    std::set<std::string> known;
    for (const gradebook::Attempt& attempt : results.graded.attempts) known.insert(attempt.student);
    results.roster.go_by(known);
    results.marks = usable_marks(results.graded, results.roster);
    return results;
}

std::vector<std::string> guests(const ClassResults& results) {
    std::vector<std::string> ids;
    if (results.roster.empty()) return ids;
    for (const Mark& mark : results.marks)
        if (results.roster.find(mark.student) == nullptr) ids.push_back(mark.student);
    return ids;
}

int tell_incomplete(const ClassResults& results) {
    std::size_t pending = 0;
    std::size_t unread = 0;
    for (const Mark& mark : results.marks) {
        if (mark.complete) continue;
        ++(std::ranges::any_of(mark.exercises, is_unread) ? unread : pending);
    }
    if (unread > 0)
        fmt::print(
            stderr,
            "headway: {} handed in what could not be read: no mark, and no zero. ./headway class export csv says "
            "why;\n  a new hand-in settles it, or ./headway class adjust ID --points N\n",
            counted(unread, "student"));
    if (pending > 0)
        fmt::print(stderr, "headway: {} without a mark yet; ./headway class grade goes on with them\n",
                   counted(pending, "student"));
    if (const std::vector<std::string> ids = guests(results); !ids.empty())
        fmt::print(stderr, "headway: not in the roster (guests, or mistyped ids): {}\n", fmt::join(ids, ", "));
    return pending > 0 ? machine_at_fault : unread > 0 ? some_did_not_pass : all_passed;
}

}  // namespace headway::cli
