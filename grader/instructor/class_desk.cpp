#include "instructor/class_desk.hpp"

#include "terminal/console.hpp"
#include "terminal/interrupt.hpp"

#include "classroom/local_grader.hpp"
#include "grading/at_once.hpp"
#include "intake/student_id.hpp"
#include "submission/digest.hpp"
#include "terminal/page.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using gradebook::Edition;
using gradebook::Gradebook;
using report::counted;

std::string duration_text(double seconds) {
    if (seconds < 90) return fmt::format("{:.0f} s", seconds);
    const double minutes = seconds / 60;
    if (minutes < 90) return fmt::format("{:.0f} min", minutes);
    return fmt::format("{:.1f} h", minutes / 60);
}

}  // namespace

GradebookLock::GradebookLock(const fs::path& gradebook)
    : file_(::open((gradebook.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (!file_)
        throw UsageError(
            fmt::format("cannot write beside {}; --gradebook FILE names another place", gradebook.string()));
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0)
        throw UsageError(fmt::format(
            "another headway is at work on {}; wait until it has ended, or stop it with Ctrl-C: what it did is kept",
            gradebook.string()));
}

void require_jail(const Course& course, const ClassArguments& arguments) try {
    sandbox::require_jail_for_a_class(course.machine(), arguments.unsafe ? sandbox::Unsafe::yes : sandbox::Unsafe::no);
} catch (const std::runtime_error& error) {
    throw CourseError(error.what());
}

std::string policy_text(const ClassArguments& arguments) {
    const fs::path beside = fs::absolute(arguments.gradebook).parent_path() / "class.toml";
    if (!arguments.policy && !fs::exists(beside)) return "";
    try {
        return build::read_file(arguments.policy ? fs::path(*arguments.policy) : beside);
    } catch (const std::runtime_error& error) {
        throw UsageError(error.what());
    }
}

std::vector<std::string> exercise_names(const Course& course) {
    std::vector<std::string> names;
    for (const ExerciseInfo& info : course.exercises) names.push_back(info.name);
    return names;
}

void require_gradebook(const ClassArguments& arguments) {
    if (!fs::exists(arguments.gradebook))
        throw UsageError(
            fmt::format("there is no gradebook {}; ./headway class grade DIR makes one, and --gradebook "
                        "FILE names it",
                        arguments.gradebook));
}

Edition current_edition(const Gradebook& gradebook) {
    const auto current = gradebook.current();
    if (!current) throw UsageError("nothing is graded in this gradebook yet; begin with ./headway class grade DIR");
    return *current;
}

gradebook::MarkingPolicy parsed_policy(const Course& course, const std::string& text) try {
    return gradebook::MarkingPolicy::parse(text, exercise_names(course));
} catch (const gradebook::MarkingPolicyError& error) {
    throw UsageError(error.what());
}

gradebook::MarkingPolicy policy_of(const Edition& edition) try {
    return gradebook::MarkingPolicy::parse(edition.policy, edition.exercises());
} catch (const gradebook::MarkingPolicyError& error) {
    throw UsageError(
        fmt::format("this Headway refuses what marks follow until now: {}. Correct class.toml and run "
                    "./headway class regrade",
                    error.what()));
}

std::vector<gradebook::Mark> all_marks(const Gradebook& gradebook, const Edition& edition,
                                       std::vector<std::string> enrolled) {
    std::set<std::string> known;  // files and folders
    std::map<std::string, std::set<std::string>> unknown;
    for (const gradebook::Attempt& attempt : gradebook.attempts())
        (intake::is_usable_id(attempt.student) ? known : unknown[attempt.student]).insert(attempt.entry);
    gradebook::ClassRecord record = gradebook::record_of(gradebook, edition);
    record.enrolled = std::move(enrolled);
    std::vector<gradebook::Mark> marks = gradebook::derive_marks(record, policy_of(edition));
    std::erase_if(marks, [&](const gradebook::Mark& mark) {
        const auto row = unknown.find(mark.student);
        return row != unknown.end() && std::ranges::includes(known, row->second);
    });
    return marks;
}

bool confirmed(const ClassArguments& arguments, const char* question) {
    const char* yes = std::getenv("HEADWAY_YES");  // the launcher takes --yes for itself
    if (arguments.yes || (yes != nullptr && *yes != '\0')) return true;
    if (::isatty(STDIN_FILENO) == 0) return false;
    fmt::print("{} [y/N] ", question);
    std::fflush(stdout);
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "yes";
}

void tell_of_changed_policy(const ClassArguments& arguments, const Edition& edition) {
    const fs::path beside = fs::absolute(arguments.gradebook).parent_path() / "class.toml";
    if ((arguments.policy || fs::exists(beside)) && policy_text(arguments) != edition.policy)
        fmt::print(stderr, "headway: class.toml has changed; marks follow the old one until ./headway class regrade\n");
}

void tell_of_strangers(const Gradebook& gradebook, const Edition& edition, const std::vector<std::string>& enrolled) {
    std::set<std::string> known(enrolled.begin(), enrolled.end());
    for (const gradebook::Attempt& attempt : gradebook.attempts()) known.insert(attempt.student);
    const std::set<std::string> strangers = policy_of(edition).strangers(known);
    if (!strangers.empty())
        fmt::print(stderr,
                   "headway: [extensions] and [groups] of class.toml name {} who handed in nothing: {}.\n  If an id is "
                   "misspelt, correct it and run ./headway class regrade\n",
                   counted(strangers.size(), "student"), named({strangers.begin(), strangers.end()}));
}

std::string named(const std::vector<std::string>& students) {
    constexpr std::size_t most = 20;
    const std::size_t shown = std::min(most, students.size());
    const std::string names =
        fmt::format("{}", fmt::join(students.begin(), students.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    return verdict::showable(shown < students.size() ? fmt::format("{} and {} more", names, students.size() - shown)
                                                     : names);
}

std::vector<std::string> open_marks(const std::vector<gradebook::Mark>& marks, gradebook::Standing standing) {
    std::vector<std::string> students;
    for (const gradebook::Mark& mark : marks)
        if (!mark.complete && std::ranges::any_of(mark.exercises, [&](const gradebook::ExerciseMark& one) {
                return one.open && one.standing == standing;
            }))
            students.push_back(mark.student);
    return students;
}

std::string progress_text(const classroom::RunState& state) {
    std::string text = fmt::format("{} of {} exercises", state.done, state.all);
    if (state.rate() > 0)
        text += fmt::format(" · {:.2g} a second · {} left", state.rate(),
                            duration_text(static_cast<double>(state.left()) / state.rate()));
    if (state.unavailable > 0) text += fmt::format(" · {} not for now", state.unavailable);
    return text;
}

classroom::RunState grade_pending(const Course& course, const ClassArguments& arguments,
                                  gradebook::Gradebook& gradebook, const gradebook::Edition& edition) {
    if (arguments.engine == "slurm") return grade_on_slurm(course, arguments, gradebook, edition);
    // What an earlier run left behind when it was killed goes first; the lock says that it is nobody's.
    const fs::path scratch =
        course.state / "class" /
        build::Digest().add(fs::weakly_canonical(arguments.gradebook).string()).hex().substr(0, 16);
    std::error_code ignored;
    fs::remove_all(scratch, ignored);
    ProgressLine line;
    classroom::RunOptions options;
    // One more than there are processors: with as many, up to a tenth of their time was measured to be idle.
    options.workers = arguments.jobs > 0 ? arguments.jobs : processors() + 1;
    options.stop = Interrupt::requested;
    options.progress = [&](const classroom::RunState& state) {
        line.show(progress_text(state) + (Interrupt::requested() ? " · stopping after what has begun" : ""));
    };
    const classroom::Grader grader = classroom::local_grader(course, edition.seed, scratch);
    classroom::GradebookLedger ledger(gradebook, edition);
    classroom::RunState state = classroom::run_pending(ledger, grader, options);
    fs::remove_all(scratch, ignored);
    return state;
}

}  // namespace headway::cli
