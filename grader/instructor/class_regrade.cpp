// Marks after tests, limits or policy have changed, and back.
#include "instructor/class_results.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_status.hpp"
#include "terminal/interrupt.hpp"

#include "classroom/csv.hpp"
#include "classroom/local_grader.hpp"
#include "classroom/mark_changes.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using gradebook::Access;
using gradebook::Edition;
using gradebook::Gradebook;
using report::counted;

void show_each(const classroom::MarkChanges& found) {
    report::Page page(terminal_style());
    for (const std::string& exercise : found.exercises) page.paragraph({.hanging = 2}, {{exercise}});
    for (const classroom::MarkChange& change : found.changes) {
        const std::string which = change.exercise.empty() ? change.student : change.student + " " + change.exercise;
        page.paragraph({.hanging = 2},
                       {{fmt::format("{}: {:.2f} -> {:.2f}  {}", which, classroom::in_hundredths(change.before),
                                     classroom::in_hundredths(change.after), fmt::join(change.reasons, "; "))}});
    }
    page.paragraph({}, {{fmt::format("{} {}: {} up, {} down.", counted(found.marks, "mark"),
                                     found.marks == 1 ? "changes" : "change", found.up, found.down)}});
    if (!found.stays.empty())
        page.paragraph({}, {{fmt::format("The total stays what it is for {}: set by hand, or the changes even out.",
                                         named(found.stays))}});
    fmt::print("{}", page.take());
}

void show_changes(const Gradebook& gradebook, const Edition& before, const Edition& after) {
    try {
        policy_of(before);
    } catch (const UsageError& error) {
        fmt::print("Marks before cannot be shown: {}.\n", error.what());
        return;
    }
    show_each(classroom::mark_changes(gradebook, before, after));
}

/// The verdicts of both editions are there, so this grades nothing.
int undo_regrade(const ClassArguments& arguments) {
    const GradebookLock lock(arguments.gradebook);
    Gradebook gradebook(arguments.gradebook, Access::read_write);
    const Edition last = current_edition(gradebook);
    const std::optional<Edition> before = gradebook.previous();
    if (!before) throw UsageError("no regrade was applied in this gradebook: there is nothing to undo");
    policy_of(*before);
    show_changes(gradebook, last, *before);
    if (!confirmed(arguments, "Undo the regrade?")) {
        fmt::print("Not undone. ./headway class regrade --undo --yes does it.\n");
        return some_did_not_pass;
    }
    const fs::path copy = gradebook.backup(fmt::format("undo-{}", last.id));
    gradebook.undo();
    fmt::print("Undone; ./headway class regrade proposes it again. The gradebook as it was: {}\n", copy.string());
    if (const std::size_t pending = gradebook.count_pending(*before); pending > 0)
        fmt::print("{} came after that regrade and {} open until ./headway class grade or regrade.\n",
                   counted(pending, "hand-in"), pending == 1 ? "is" : "are");
    return all_passed;
}

}  // namespace

int run_class_regrade(const Course& course, const ClassArguments& arguments) {
    require_gradebook(arguments);
    if (arguments.undo) return undo_regrade(arguments);
    const std::string policy = policy_text(arguments);
    parsed_policy(course, policy);
    const GradebookLock lock(arguments.gradebook);
    const Interrupt interrupt;
    Gradebook gradebook(arguments.gradebook, Access::read_write);
    const std::vector<std::string> enrolled = ids_of(roster_of(arguments, gradebook.attempts()));
    const Edition before = current_edition(gradebook);
    Edition after = before;
    after.policy = policy;
    after.suites = classroom::suites_of(course, before.seed);
    if (after == before) {
        tell_of_strangers(gradebook, before, enrolled);
        fmt::print(
            "Neither exercises, tests, compiler, limits nor class.toml have changed: there is nothing to regrade.\n");
        return all_passed;
    }
    after = gradebook.propose(after);
    if (arguments.engine == "local" && !gradebook.pending(after).empty()) require_jail(course, arguments);
    const classroom::RunState state = grade_pending(course, arguments, gradebook, after);
    if (Interrupt::requested()) return interrupted;
    if (state.unavailable > 0) throw CourseError("not everything could be graded: " + state.last_problem);
    tell_of_strangers(gradebook, after, enrolled);
    show_changes(gradebook, before, after);
    if (!confirmed(arguments, "Apply?")) {
        fmt::print("Not applied. ./headway class regrade --yes applies it.\n");
        return some_did_not_pass;
    }
    const fs::path copy = gradebook.backup(fmt::format("regrade-{}", after.id));
    gradebook.apply(after);
    fmt::print(
        "Applied. The verdicts before stay in the gradebook: ./headway class regrade --undo returns to them. The "
        "gradebook as it was: {}\n",
        copy.string());
    return all_passed;
}

}  // namespace headway::cli
