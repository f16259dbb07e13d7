#include "cli/handed_in.hpp"
#include "instructor/class_results.hpp"
#include "instructor/said_times.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_status.hpp"
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
    parsed_policy(course, policy);
    if (const auto current = gradebook.current()) {
        if (current->suites != classroom::suites_of(course, current->seed))
            throw UsageError(
                "the exercises, their tests, the compiler or the limits of policy.toml are not those that this class "
                "was graded with, "
                "and marks would differ by more than the work. See what changes, and agree to it: "
                "./headway class regrade");
        tell_of_changed_policy(arguments, *current);
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
        std::vector<intake::HandIn> hand_ins = intake::find_hand_ins(arguments.folder, naming);
        if (arguments.times) {
            std::set<std::string> known;
            for (const intake::HandIn& hand_in : hand_ins) known.insert(hand_in.student);
            naming.times = said_times(arguments, known);
            hand_ins = intake::find_hand_ins(arguments.folder, naming);
        }
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

/// Of these hand-ins, and of all before.
std::set<std::string> students_in(const std::vector<intake::HandIn>& hand_ins, const Gradebook& gradebook) {
    std::set<std::string> students;
    for (const gradebook::Attempt& attempt : gradebook.attempts()) students.insert(attempt.student);
    for (const intake::HandIn& hand_in : hand_ins) students.insert(hand_in.student);
    return students;
}

/// Times of people who did not hand in here are somebody else's, or misspelt. Those whom the gradebook knows keep
/// theirs.
/// @throws UsageError naming those whom nobody knows
void check_times(const ClassArguments& arguments, const std::vector<intake::HandIn>& hand_ins,
                 const Gradebook& gradebook) {
    if (!arguments.times || times_are_moodles(arguments)) return;  // who is not known was told when they were read
    std::map<std::string, std::string> others = intake::read_times(*arguments.times);
    for (const intake::HandIn& hand_in : hand_ins) others.erase(hand_in.student);
    std::vector<std::string> absent;
    for (const gradebook::Attempt& attempt : gradebook.attempts())
        if (others.erase(attempt.student) > 0) absent.push_back(attempt.student);
    std::vector<std::string> unknown;
    for (const auto& [student, time] : others) unknown.push_back(student);
    if (!unknown.empty())
        throw UsageError(
            fmt::format("{} has times of students who are neither in {} nor in the gradebook: {}. Nothing is graded; "
                        "correct the ids, or delete these lines",
                        *arguments.times, arguments.folder, named(unknown)));
    if (!absent.empty())
        fmt::print(stderr,
                   "headway: in {}, and not in {}: {}. Their times stay as they are; ./headway class times "
                   "changes them\n",
                   *arguments.times, arguments.folder, named(absent));
}

/// A student who was removed has no mark for what they hand in.
std::vector<std::string> removed_among(const std::vector<intake::HandIn>& hand_ins, const Gradebook& gradebook) {
    const gradebook::Rulings rulings(gradebook.decisions());
    std::vector<std::string> removed;
    for (const intake::HandIn& hand_in : hand_ins)
        if (rulings.is_removed(hand_in.student)) removed.push_back(hand_in.student);
    return removed;
}

void show_rows(report::Page& page, const char* title, const std::vector<std::pair<std::string, std::string>>& rows) {
    if (rows.empty()) return;
    page.blank();
    page.line(0, {{title, report::Tone::strong}});
    for (const auto& [student, why] : rows) page.paragraph({.indent = 2, .hanging = 2}, {{student + ": " + why}});
}

/// Whose marks are not what one would expect of the run, and what to do.
void show_open(report::Page& page, const std::vector<gradebook::Mark>& marks, const std::vector<std::string>& removed) {
    if (const auto untimed = open_marks(marks, gradebook::Standing::untimed); !untimed.empty()) {
        page.blank();
        page.paragraph({},
                       {{fmt::format("Open, because nobody knows when it was handed in, with a deadline: {}. No mark, "
                                     "and no zero. {}",
                                     named(untimed), next_for_untimed)}});
    }
    if (!removed.empty()) {
        page.blank();
        page.paragraph({}, {{fmt::format("Removed, and so without a mark, whatever they hand in: {}. ./headway class "
                                         "restore ID brings them back.",
                                         named(removed))}});
    }
}

void show_summary(const ClassArguments& arguments, const classroom::Imported& imported,
                  const classroom::RunState& state, const std::vector<gradebook::Mark>& marks,
                  const std::vector<std::string>& removed) {
    report::Page page(terminal_style());
    const intake::Naming naming = naming_of(arguments);
    const intake::ExportFormat format = naming.format.value_or(intake::format_of(arguments.folder));
    page.paragraph(
        {}, {{fmt::format("{} ({}): {} new, {} unchanged{}", counted(imported.students, "student"), to_string(format),
                          imported.anew, imported.unchanged,
                          imported.timed > 0 ? fmt::format(", {} of these with a time now", imported.timed) : "")}});
    page.paragraph({}, {{fmt::format("{} graded in {:.1f} s{}", counted(state.done, "exercise"), state.seconds,
                                     state.left() > 0 ? fmt::format(", {} left", state.left()) : "")}});
    show_rows(page, "Another time than was said before holds now", imported.retimed);
    show_rows(page, "Could not be read as submissions", imported.malformed);
    show_rows(page, "Could not be read by this machine: not the student's fault", imported.unreadable);
    if (const std::vector<std::string> names = intake::left_out(arguments.folder, naming); !names.empty()) {
        page.blank();
        page.paragraph({},
                       {{fmt::format("Left out, because they begin with a dot or are no folder, archive or source: {}",
                                     fmt::join(names, ", "))}});
    }
    if (const std::vector<std::string> names = intake::of_test_student(arguments.folder, naming); !names.empty()) {
        page.blank();
        page.paragraph({}, {{fmt::format("Left out, because Canvas made this student up (Student, Test): {}",
                                         fmt::join(names, ", "))}});
    }
    if (state.unavailable > 0) {
        page.blank();
        page.paragraph({},
                       {{fmt::format("{} could not be graded, and nobody is marked down for it: {} The same command "
                                     "tries again.",
                                     counted(state.unavailable, "exercise"), state.last_problem)}});
    }
    show_open(page, marks, removed);
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
    roster_of(arguments, students_in(hand_ins, gradebook));  // what is wrong is told before anything is graded
    check_times(arguments, hand_ins, gradebook);
    const Edition edition = edition_of(course, arguments, gradebook);
    if (const std::size_t damaged = gradebook.drop_damaged(); damaged > 0)
        fmt::print(stderr, "headway: {} in the gradebook damaged; graded again\n", counted(damaged, "verdict"));
    const classroom::Imported imported =
        classroom::import_hand_ins(gradebook, wanted_of(course), hand_ins, Interrupt::requested);
    const classroom::RunState state = grade_pending(course, arguments, gradebook, edition);
    const std::vector<gradebook::Mark> marks = all_marks(gradebook, edition);
    show_summary(arguments, imported, state, marks, removed_among(hand_ins, gradebook));
    tell_of_strangers(gradebook, edition, ids_of(roster_of(arguments, gradebook.attempts())));
    if (Interrupt::requested()) {
        fmt::print(stderr, "headway: stopped. What is graded is kept; the same command goes on from here.\n");
        return interrupted;
    }
    if (state.unavailable > 0 || !imported.unreadable.empty()) return machine_at_fault;
    const bool is_settled = imported.malformed.empty() && open_marks(marks, gradebook::Standing::untimed).empty();
    return is_settled ? all_passed : some_did_not_pass;
}

}  // namespace headway::cli
