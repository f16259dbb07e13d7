#include "cli/class_desk.hpp"

#include "terminal/console.hpp"
#include "terminal/interrupt.hpp"

#include "classroom/local_grader.hpp"
#include "grading/at_once.hpp"
#include "submission/digest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <fcntl.h>
#include <sys/file.h>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

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
        throw UsageError(fmt::format("another headway is at work on {}; wait for it, or name another with --gradebook",
                                     gradebook.string()));
}

void require_gradebook(const ClassArguments& arguments) {
    if (!fs::exists(arguments.gradebook))
        throw UsageError(
            fmt::format("there is no gradebook {}; ./headway class grade DIR makes one, and --gradebook "
                        "FILE names it",
                        arguments.gradebook));
}

gradebook::Edition current_edition(const gradebook::Gradebook& gradebook) {
    const auto current = gradebook.current();
    if (!current) throw UsageError("nothing is graded in this gradebook yet; begin with ./headway class grade DIR");
    return *current;
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
