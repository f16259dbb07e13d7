// What is done with marks: adjust, regrade.
#include "cli/class_desk.hpp"
#include "cli/commands.hpp"
#include "terminal/console.hpp"
#include "terminal/interrupt.hpp"

#include "classroom/local_grader.hpp"
#include "classroom/mark_changes.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <unistd.h>

namespace headway::cli {
namespace {

using gradebook::Access;
using gradebook::Edition;
using gradebook::Gradebook;

bool confirmed(const ClassArguments& arguments) {
    const char* yes = std::getenv("HEADWAY_YES");  // the launcher takes --yes for itself
    if (arguments.yes || (yes != nullptr && *yes != '\0')) return true;
    if (::isatty(STDIN_FILENO) == 0) return false;
    fmt::print("Apply? [y/N] ");
    std::fflush(stdout);
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "yes";
}

void show_changes(const std::vector<classroom::MarkChange>& changes) {
    report::Page page(terminal_style());
    for (const classroom::MarkChange& change : changes)
        page.paragraph({.hanging = 2}, {{fmt::format("{} {}: {:.2f} -> {:.2f}  {}", change.student, change.exercise,
                                                     change.before, change.after, fmt::join(change.reasons, "; "))}});
    const auto gain = std::ranges::count_if(changes, [](const auto& one) { return one.after > one.before; });
    const auto lose = std::ranges::count_if(changes, [](const auto& one) { return one.after < one.before; });
    page.paragraph({}, {{fmt::format("{} marks change: {} up, {} down.", changes.size(), gain, lose)}});
    fmt::print("{}", page.take());
}

}  // namespace

int run_class_adjust(const Course& course, const ClassArguments& arguments) {
    require_gradebook(arguments);
    const GradebookLock lock(arguments.gradebook);
    Gradebook gradebook(arguments.gradebook, Access::read_write);
    const auto attempts = gradebook.attempts();
    if (std::ranges::find(attempts, arguments.student, &gradebook::Attempt::student) == attempts.end())
        throw UsageError(fmt::format("{} has handed in nothing that this gradebook knows", arguments.student));
    if (!std::isfinite(arguments.points) || arguments.reason.empty() || arguments.author.empty())
        throw UsageError("an adjustment needs points, an author and a reason");
    const std::string exercise = arguments.exercise.empty() ? "" : course.find(arguments.exercise).name;
    gradebook.adjust(
        {arguments.student, exercise, arguments.points, arguments.author, arguments.reason, verdict::now()});
    fmt::print("{}: {:+g} points{}. The opposite undoes it; both stay in the gradebook.\n", arguments.student,
               arguments.points, exercise.empty() ? "" : " in " + exercise);
    return all_passed;
}

int run_class_regrade(const Course& course, const ClassArguments& arguments) {
    require_gradebook(arguments);
    const std::string policy = policy_text(arguments);
    try {
        gradebook::MarkingPolicy::parse(policy, exercise_names(course));
    } catch (const gradebook::MarkingPolicyError& error) {
        throw UsageError(error.what());
    }
    const GradebookLock lock(arguments.gradebook);
    const Interrupt interrupt;
    Gradebook gradebook(arguments.gradebook, Access::read_write);
    const Edition before = current_edition(gradebook);
    Edition after = before;
    after.policy = policy;
    after.suites = classroom::suites_of(course, before.seed);
    if (after == before) {
        fmt::print("Neither tests, compiler nor class.toml have changed: there is nothing to regrade.\n");
        return all_passed;
    }
    after = gradebook.propose(after);
    if (arguments.engine == "local" && !gradebook.pending(after).empty()) require_jail(course, arguments);
    const classroom::RunState state = grade_pending(course, arguments, gradebook, after);
    if (Interrupt::requested()) return interrupted;
    if (state.unavailable > 0) throw CourseError("not everything could be graded: " + state.last_problem);
    show_changes(classroom::mark_changes(gradebook, before, after, exercise_names(course)));
    if (!confirmed(arguments)) {
        fmt::print("Not applied. ./headway class regrade --yes applies it.\n");
        return some_did_not_pass;
    }
    gradebook.apply(after);
    fmt::print("Applied. The verdicts before stay in the gradebook.\n");
    return all_passed;
}

}  // namespace headway::cli
