#include "cli/class_desk.hpp"
#include "cli/commands.hpp"
#include "cli/handed_in.hpp"
#include "terminal/console.hpp"
#include "terminal/interrupt.hpp"

#include "classroom/import.hpp"
#include "classroom/local_grader.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using gradebook::Edition;
using gradebook::Gradebook;
using report::counted;

/// From the operating system: nobody can know the hidden inputs beforehand.
std::uint64_t secret_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32U) | device();
}

/// The edition that this class is graded by; in a new gradebook today's tests, compiler and policy become the first.
Edition edition_of(const Course& course, const ClassArguments& arguments, Gradebook& gradebook) {
    const std::string policy = policy_text(arguments);
    try {
        gradebook::MarkingPolicy::parse(policy, exercise_names(course));
    } catch (const gradebook::MarkingPolicyError& error) {
        throw UsageError(error.what());
    }
    if (const auto current = gradebook.current()) {
        if (current->suites != classroom::suites_of(course, current->seed))
            throw UsageError(
                "the tests or the compiler are not those that this class was graded with, and marks would differ by "
                "more than the work. See what changes, and agree to it: ./headway class regrade");
        if (current->policy != policy)
            fmt::print(stderr,
                       "headway: class.toml has changed; marks follow the old one until "
                       "./headway class regrade\n");
        return *current;
    }
    const std::uint64_t seed = secret_seed();
    const Edition first = gradebook.propose({0, seed, policy, classroom::suites_of(course, seed)});
    gradebook.apply(first);
    return first;
}

/// Without times, which are read once.
intake::Naming naming_of(const ClassArguments& arguments) {
    intake::Naming naming{arguments.student_id, {}, {}};
    if (!arguments.layout.empty()) naming.format = intake::format_called(arguments.layout);
    return naming;
}

std::vector<intake::HandIn> hand_ins_in(const ClassArguments& arguments) {
    if (!fs::is_directory(arguments.folder)) throw UsageError(fmt::format("there is no folder {}", arguments.folder));
    try {
        intake::Naming naming = naming_of(arguments);
        if (arguments.times) naming.times = intake::read_times(*arguments.times);
        std::vector<intake::HandIn> hand_ins = intake::find_hand_ins(arguments.folder, naming);
        if (hand_ins.empty())
            throw UsageError(
                fmt::format("{} holds no hand-in; it should hold one folder or archive per student", arguments.folder));
        return hand_ins;
    } catch (const std::runtime_error& error) {
        throw UsageError(error.what());
    }
}

/// Where a folder was taken for something that it is not, everybody has another id. Rows of these could not be told
/// from students', so nothing is recorded until somebody says what the folder is.
void require_known_students(const ClassArguments& arguments, const Gradebook& gradebook,
                            const std::vector<intake::HandIn>& hand_ins) {
    if (!arguments.layout.empty() || !arguments.student_id.empty()) return;
    std::set<std::string> known;
    for (const gradebook::Attempt& attempt : gradebook.attempts()) known.insert(attempt.student);
    const auto found =
        std::ranges::count_if(hand_ins, [&](const intake::HandIn& hand_in) { return known.contains(hand_in.student); });
    constexpr std::ptrdiff_t of_so_many = 10;
    if (known.empty() || found * of_so_many >= std::ssize(hand_ins)) return;
    const intake::ExportFormat format = intake::format_of(arguments.folder);
    throw UsageError(fmt::format(
        "{} looks like {}, with {}, of which {} by a student of {}: nothing was recorded. If it is something else, say "
        "so: --layout moodle, canvas, gradescope or plain. If these are other students, say --layout {}",
        arguments.folder, to_string(format), counted(hand_ins.size(), "hand-in"),
        found == 0 ? "none is" : fmt::format("only {} is", found), arguments.gradebook, name_of(format)));
}

void show_rows(report::Page& page, const char* title, const std::vector<std::pair<std::string, std::string>>& rows) {
    if (rows.empty()) return;
    page.blank();
    page.line(0, {{title, report::Tone::strong}});
    for (const auto& [student, why] : rows) page.paragraph({.indent = 2, .hanging = 2}, {{student + ": " + why}});
}

void show_summary(const ClassArguments& arguments, const classroom::Imported& imported,
                  const classroom::RunState& state) {
    report::Page page(terminal_style());
    const intake::Naming naming = naming_of(arguments);
    const intake::ExportFormat format = naming.format.value_or(intake::format_of(arguments.folder));
    page.paragraph({}, {{fmt::format("{} ({}): {} new, {} unchanged", counted(imported.students, "student"),
                                     to_string(format), imported.anew, imported.unchanged)}});
    page.paragraph({}, {{fmt::format("{} graded in {:.1f} s{}", counted(state.done, "exercise"), state.seconds,
                                     state.left() > 0 ? fmt::format(", {} left", state.left()) : "")}});
    show_rows(page, "Could not be read as submissions", imported.malformed);
    show_rows(page, "Could not be read by this machine: not the student's fault", imported.unreadable);
    if (const std::vector<std::string> names = intake::left_out(arguments.folder, naming); !names.empty()) {
        page.blank();
        page.paragraph({},
                       {{fmt::format("Left out, because they begin with a dot or are no folder, archive or source: {}",
                                     fmt::join(names, ", "))}});
    }
    if (state.unavailable > 0) {
        page.blank();
        page.paragraph({},
                       {{fmt::format("{} could not be graded, and nobody is marked down for it: {} The same command "
                                     "tries again.",
                                     counted(state.unavailable, "exercise"), state.last_problem)}});
    }
    page.blank();
    page.paragraph({}, {{fmt::format("In {}. Next: ./headway class report", arguments.gradebook)}});
    fmt::print("{}", page.take());
}

}  // namespace

int run_class_grade(const Course& course, const ClassArguments& arguments) {
    const std::vector<intake::HandIn> hand_ins = hand_ins_in(arguments);
    if (arguments.engine == "local") require_jail(course, arguments);  // else each node sees to its own
    const GradebookLock lock(arguments.gradebook);
    const Interrupt interrupt;
    Gradebook gradebook(arguments.gradebook, gradebook::Access::read_write);
    require_known_students(arguments, gradebook, hand_ins);
    const Edition edition = edition_of(course, arguments, gradebook);
    if (const std::size_t damaged = gradebook.drop_damaged(); damaged > 0)
        fmt::print(stderr, "headway: {} in the gradebook damaged; graded again\n", counted(damaged, "verdict"));
    const classroom::Imported imported =
        classroom::import_hand_ins(gradebook, wanted_of(course), hand_ins, Interrupt::requested);
    const classroom::RunState state = grade_pending(course, arguments, gradebook, edition);
    show_summary(arguments, imported, state);
    if (Interrupt::requested()) {
        fmt::print(stderr, "headway: stopped. What is graded is kept; the same command goes on from here.\n");
        return interrupted;
    }
    if (state.unavailable > 0 || !imported.unreadable.empty()) return machine_at_fault;
    return imported.malformed.empty() ? all_passed : some_did_not_pass;
}

}  // namespace headway::cli
