// What an instructor decides about a student: points, which attempts count, and whether any do.
#include "instructor/class_results.hpp"
#include "terminal/exit_status.hpp"

#include "intake/hand_in.hpp"
#include "intake/student_id.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace headway::cli {
namespace {

using gradebook::Access;
using gradebook::Attempt;
using gradebook::Decision;
using gradebook::Gradebook;
using gradebook::Mark;

/// A gradebook that nobody else writes, and the student who is meant.
class Desk {
public:
    Desk(const Course& course, const ClassArguments& arguments)
        : course_(course),
          arguments_(arguments),
          lock_(lock_existing(arguments)),
          gradebook_(arguments.gradebook, Access::read_write),
          record_(record_of(gradebook_, edition())),
          roster_(roster_of(arguments, record_.attempts)) {
        arguments_.student = student_meant(arguments.student, roster_, record_.attempts);
    }

    /// With the student's id, whatever they were called.
    const ClassArguments& arguments() const { return arguments_; }

    gradebook::Edition edition() const { return current_edition(gradebook_); }
    gradebook::MarkingPolicy policy() const { return policy_of(edition()); }
    /// The exercise that is meant; empty if none is. @throws UsageError if it does not count in this class
    std::string exercise() const {
        if (arguments_.exercise.empty()) return "";
        const std::string name = course_.find(arguments_.exercise).name;
        if (!edition().suites.contains(name))
            throw UsageError(fmt::format(
                "{} is new in the course and does not count yet; ./headway class regrade takes it in", name));
        return name;
    }
    gradebook::Rulings rulings() const { return gradebook::Rulings(record_.decisions); }
    Gradebook& gradebook() { return gradebook_; }

    void require_student() const { require_known(arguments_.student, roster_, record_.attempts); }
    void require_reason() const {
        if (arguments_.reason.empty() || arguments_.author.empty())
            throw UsageError("a decision needs an author and a reason");
    }

    /// @throws UsageError if no mark is made for the student
    Mark mark() const {
        if (!intake::is_usable_id(arguments_.student))
            throw UsageError(
                fmt::format("'{}' is no usable student id, so no export has their mark; grade them again "
                            "with --student-id PATTERN",
                            arguments_.student));
        if (rulings().is_removed(arguments_.student))
            throw UsageError(
                fmt::format("{0} is removed; ./headway class restore {0} brings them back", arguments_.student));
        std::vector<Mark> marks = all_marks(gradebook_, edition(), ids_of(roster_));
        const auto mark = std::ranges::find(marks, arguments_.student, &Mark::student);
        if (mark != marks.end()) return *mark;
        require_student();
        throw UsageError(fmt::format("{} has no mark", arguments_.student));
    }

    /// Theirs, or one of their group's. @throws UsageError
    const Attempt& attempt() const {
        std::vector<std::string> known;
        const std::vector<std::string> members = policy().members(arguments_.student);
        for (const Attempt& attempt : record_.attempts) {
            if (std::ranges::find(members, attempt.student) == members.end()) continue;
            if (attempt.id == arguments_.attempt) return attempt;
            known.push_back(std::to_string(attempt.id));
        }
        if (known.empty())
            throw UsageError(fmt::format("{} has handed in nothing: there is no attempt", arguments_.student));
        throw UsageError(fmt::format("{} has no attempt {}; theirs: {}. ./headway class attempts {} shows them",
                                     arguments_.student, arguments_.attempt, fmt::join(known, ", "),
                                     arguments_.student));
    }

    /// Theirs alone. @throws UsageError
    const Attempt& own_attempt() const {
        const Attempt& one = attempt();
        if (one.student != arguments_.student)
            throw UsageError(fmt::format("attempt {} is {}'s: name them", one.id, one.student));
        return one;
    }

    Decision decision(Decision::Kind kind, const std::string& exercise = "") const {
        Decision decision;
        decision.kind = kind;
        decision.student = arguments_.student;
        if (arguments_.attempt > 0) decision.attempt = arguments_.attempt;
        decision.exercise = exercise;
        decision.author = arguments_.author;
        decision.reason = arguments_.reason;
        decision.made = verdict::now();
        return decision;
    }

private:
    static GradebookLock lock_existing(const ClassArguments& arguments) {
        require_gradebook(arguments);
        return GradebookLock(arguments.gradebook);
    }

    const Course& course_;
    ClassArguments arguments_;
    GradebookLock lock_;
    Gradebook gradebook_;
    gradebook::ClassRecord record_;
    classroom::Roster roster_;
};

/// "anna 03_scaled_scores: now 8.5 of 10 points."
void show_mark(const Mark& mark, const std::string& exercise) {
    const auto one = std::ranges::find(mark.exercises, exercise, &gradebook::ExerciseMark::exercise);
    const bool is_total = one == mark.exercises.end();
    const double max_points = is_total ? mark.max_points : one->max_points;
    const double cut = is_total ? mark.cut : one->cut;
    if (is_total ? !mark.complete : one->open) return fmt::print("The mark is still open.\n");
    fmt::print("{}: now {:g} of {:g} points.\n", is_total ? mark.student : mark.student + " " + exercise,
               is_total ? mark.points : one->points, max_points);
    if (cut > 0) fmt::print("A mark is never below 0: {:g} points of the adjustment have no effect.\n", cut);
    if (!is_total && one->is_dropped)
        fmt::print("It is among the lowest, which are dropped: it is not in the total.\n");
    if ((is_total ? mark.points : one->points) > max_points) fmt::print("That is more than can be reached.\n");
}

bool is_set(const Mark& mark, const std::string& exercise) {
    const auto one = std::ranges::find(mark.exercises, exercise, &gradebook::ExerciseMark::exercise);
    return one == mark.exercises.end() ? mark.set_to.has_value() : one->set_to.has_value();
}

void require_points(double points, double least, const char* what) {
    constexpr double most = 1e6;
    if (!std::isfinite(points) || points < least || points > most)
        throw UsageError(fmt::format("{} is a number from {:.0f} to {:.0f}", what, least, most));
}

void adjust_by(Desk& desk, const ClassArguments& arguments, const std::string& exercise) {
    require_points(*arguments.points, -1e6, "--points");
    if (is_set(desk.mark(), exercise))
        throw UsageError(
            "this mark is set, whatever the rest says: --set N sets it to another, --unset ends that first");
    desk.gradebook().adjust(
        {arguments.student, exercise, *arguments.points, arguments.author, arguments.reason, verdict::now()});
    fmt::print("{}: {:+g} points{}. The opposite undoes it; both stay in the gradebook.\n", arguments.student,
               *arguments.points, exercise.empty() ? "" : " in " + exercise);
}

void set_to(Desk& desk, const ClassArguments& arguments, const std::string& exercise) {
    require_points(*arguments.set, 0, "--set");
    Decision decision = desk.decision(Decision::Kind::set, exercise);
    decision.points = *arguments.set;
    desk.gradebook().decide({decision});
    fmt::print("{}: set to {:g} points{}. --unset undoes it; both stay in the gradebook.\n", arguments.student,
               *arguments.set, exercise.empty() ? "" : " in " + exercise);
}

/// Removes or restores what was asked for.
int decide_whether_counts(const Course& course, const ClassArguments& given, Decision::Kind kind) {
    Desk desk(course, given);
    const ClassArguments& arguments = desk.arguments();
    desk.require_student();
    desk.require_reason();
    const bool is_removed = arguments.attempt > 0 ? desk.rulings().removal(arguments.attempt) != nullptr
                                                  : desk.rulings().is_removed(arguments.student);
    if (arguments.attempt > 0) desk.own_attempt();
    const std::string what = arguments.attempt > 0
                                 ? fmt::format("attempt {} of {}", arguments.attempt, arguments.student)
                                 : arguments.student;
    if (is_removed == (kind == Decision::Kind::remove))
        throw UsageError(fmt::format("{} is {}removed", what, is_removed ? "already " : "not "));
    desk.gradebook().decide({desk.decision(kind)});
    if (kind == Decision::Kind::remove)
        fmt::print("{} counts no more; nothing is deleted. ./headway class restore undoes it.\n", what);
    else
        fmt::print("{} counts again.\n", what);
    return all_passed;
}

}  // namespace

int run_class_adjust(const Course& course, const ClassArguments& given) {
    Desk desk(course, given);
    const ClassArguments& arguments = desk.arguments();
    desk.require_reason();
    const std::string exercise = desk.exercise();
    if (arguments.points) {
        adjust_by(desk, arguments, exercise);
    } else if (arguments.set) {
        desk.mark();
        set_to(desk, arguments, exercise);
    } else {
        if (!is_set(desk.mark(), exercise)) throw UsageError("this mark is not set: there is nothing to undo");
        desk.gradebook().decide({desk.decision(Decision::Kind::unset, exercise)});
    }
    show_mark(desk.mark(), exercise);
    return all_passed;
}

int run_class_remove(const Course& course, const ClassArguments& arguments) {
    return decide_whether_counts(course, arguments, Decision::Kind::remove);
}

int run_class_restore(const Course& course, const ClassArguments& arguments) {
    return decide_whether_counts(course, arguments, Decision::Kind::restore);
}

int run_class_pin(const Course& course, const ClassArguments& given) {
    Desk desk(course, given);
    const ClassArguments& arguments = desk.arguments();
    desk.require_reason();
    const Attempt& attempt = desk.attempt();
    if (desk.rulings().removal(attempt.id) != nullptr)
        throw UsageError(fmt::format("attempt {0} is removed; ./headway class restore {1} {0} comes first", attempt.id,
                                     attempt.student));
    const std::string wanted = desk.exercise();
    std::vector<Decision> pins;
    for (const auto& [exercise, source] : attempt.sources)
        if (wanted.empty() || wanted == exercise) pins.push_back(desk.decision(Decision::Kind::pin, exercise));
    if (pins.empty())
        throw UsageError(fmt::format("attempt {} holds no {}; ./headway class attempts {} shows what each holds",
                                     attempt.id, wanted.empty() ? "exercise" : wanted, arguments.student));
    desk.gradebook().decide(pins);
    for (const Decision& pin : pins) fmt::print("{}: attempt {} counts.\n", pin.exercise, attempt.id);
    fmt::print("./headway class unpin {} undoes it.\n", arguments.student);
    return all_passed;
}

int run_class_unpin(const Course& course, const ClassArguments& given) {
    Desk desk(course, given);
    const ClassArguments& arguments = desk.arguments();
    desk.require_reason();
    const std::string exercise = desk.exercise();
    const bool is_pinned = std::ranges::any_of(exercise_names(course), [&](const std::string& one) {
        return (exercise.empty() || one == exercise) && desk.rulings().pinned(arguments.student, one);
    });
    if (!is_pinned) throw UsageError(fmt::format("no attempt of {} is pinned there", arguments.student));
    desk.gradebook().decide({desk.decision(Decision::Kind::unpin, exercise)});
    fmt::print("class.toml says again which attempt of {} counts.\n", arguments.student);
    return all_passed;
}

int run_class_set_time(const Course& course, const ClassArguments& given) {
    Desk desk(course, given);
    const ClassArguments& arguments = desk.arguments();
    desk.require_reason();
    desk.mark();
    const Attempt& attempt = desk.own_attempt();
    const std::optional<std::string> time = intake::utc(arguments.time);
    if (!time)
        throw UsageError(
            fmt::format("'{}' is no time; one is 2026-05-01T12:00:00Z, 2026-05-01T14:00:00+02:00 or, in UTC, "
                        "\"2026-05-01 12:00\"",
                        verdict::showable(arguments.time)));
    try {
        desk.gradebook().set_time(attempt, *time, {arguments.author, arguments.reason});
    } catch (const gradebook::DatabaseError&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw UsageError(error.what());
    }
    fmt::print("Attempt {0} of {1}: handed in at {2}. ./headway class unset-time {1} {0} undoes it.\n", attempt.id,
               attempt.student, *time);
    show_mark(desk.mark(), "");
    return all_passed;
}

int run_class_unset_time(const Course& course, const ClassArguments& given) {
    Desk desk(course, given);
    const ClassArguments& arguments = desk.arguments();
    desk.require_reason();
    desk.mark();
    const Attempt& attempt = desk.own_attempt();
    if (!desk.gradebook().unset_time(attempt, {arguments.author, arguments.reason}))
        throw UsageError(
            fmt::format("nobody has said when attempt {} was handed in, but the platform it came from: "
                        "there is nothing to undo",
                        attempt.id));
    fmt::print(
        "Attempt {} of {}: what was said before of its time holds again; ./headway class attempts {} shows "
        "it.\n",
        attempt.id, attempt.student, attempt.student);
    show_mark(desk.mark(), "");
    return all_passed;
}

}  // namespace headway::cli
