// What students handed in: listed, timed, forgotten.
#include "instructor/class_results.hpp"
#include "instructor/said_times.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_status.hpp"

#include "terminal/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using gradebook::Access;
using gradebook::AttemptMarks;
using gradebook::ExerciseMark;
using gradebook::Gradebook;
using gradebook::Mark;
using gradebook::Standing;
using report::counted;

/// "03: 8 of 10, 1 day late; counts"
std::string worth_text(const ExerciseMark& one, const Mark* mark) {
    std::string text = one.exercise.substr(0, 2) + ": ";
    if (one.standing == Standing::pending) return text + "not graded yet";
    if (one.standing == Standing::untimed)
        text += fmt::format("{:g} of {:g} at most, time not known", one.points, one.max_points);
    else
        text += fmt::format("{:g} of {:g}", one.points, one.max_points);
    if (one.days_late > 0) text += fmt::format(", {} late", counted(static_cast<std::size_t>(one.days_late), "day"));
    if (mark == nullptr) return text;
    const auto counting = std::ranges::find(mark->exercises, one.exercise, &ExerciseMark::exercise);
    if (counting->attempt != one.attempt || counting->open || counting->set_to) return text;
    return text + (counting->is_pinned ? "; counts, by hand" : "; counts") +
           (counting->is_dropped ? ", but is among the lowest, which are dropped" : "");
}

/// "2026-05-01 12:00"
std::string to_the_minute(std::string utc) {
    constexpr std::size_t length = std::string_view("2026-05-01T12:00").size();
    utc.resize(std::min(utc.size(), length));
    std::ranges::replace(utc, 'T', ' ');
    return utc;
}

report::TableRow row_of(const AttemptMarks& one, const Mark* mark) {
    const gradebook::Attempt& attempt = *one.attempt;
    std::vector<std::string> worth;
    for (const ExerciseMark& exercise : one.exercises)
        worth.push_back(worth_text(exercise, one.removal ? nullptr : mark));
    std::string text = fmt::format("{}", fmt::join(worth, " / "));
    if (!attempt.problem.empty()) text = "could not be read: " + attempt.problem;
    if (one.removal != nullptr)
        text = fmt::format("removed: {} ({}). ", one.removal->reason, one.removal->author) + text;
    return {{{std::to_string(attempt.id)}},
            {{attempt.student}},
            {{attempt.submitted ? to_the_minute(*attempt.submitted) : "not known"}},
            {{to_the_minute(attempt.recorded)}},
            {{text}}};
}

/// Copies that were made before something was changed.
std::vector<std::string> copies_of(const fs::path& gradebook) {
    std::vector<std::string> copies;
    const std::string begin = gradebook.filename().string() + ".before-";
    for (const auto& entry : fs::directory_iterator(fs::absolute(gradebook).parent_path()))
        if (entry.path().filename().string().starts_with(begin)) copies.push_back(entry.path().string());
    std::ranges::sort(copies);
    return copies;
}

}  // namespace

int run_class_attempts(const Course&, const ClassArguments& arguments) {
    require_gradebook(arguments);
    const Gradebook gradebook(arguments.gradebook, Access::read_only);
    const gradebook::Edition edition = current_edition(gradebook);
    const gradebook::MarkingPolicy policy = policy_of(edition);
    const gradebook::ClassRecord record = record_of(gradebook, edition);
    const classroom::Roster roster = roster_of(arguments, record.attempts);
    const std::string student = student_meant(arguments.student, roster, record.attempts);
    const gradebook::Rulings rulings(record.decisions);
    const std::vector<AttemptMarks> attempts = attempts_of(record, policy, rulings, student);
    if (attempts.empty()) {
        require_known(student, roster, record.attempts);
        throw UsageError(fmt::format("{} is in the class, and has handed in nothing", student));
    }
    const std::vector<Mark> marks = derive_marks(record, policy);
    const auto mark = std::ranges::find(marks, student, &Mark::student);
    std::vector<report::TableRow> rows = {
        {{{"attempt"}}, {{"of"}}, {{"handed in, UTC"}}, {{"recorded"}}, {{"what it would count, alone"}}}};
    for (const AttemptMarks& one : attempts) rows.push_back(row_of(one, mark == marks.end() ? nullptr : &*mark));
    report::Page page(terminal_style());
    put_table(page, 0, rows);
    page.blank();
    if (mark == marks.end())
        page.paragraph({}, {{fmt::format("{0} is removed; ./headway class restore {0}", student)}});
    else
        for (const std::string& note : mark->notes) page.paragraph({.hanging = 2}, {{"Note: " + note}});
    fmt::print("{}", page.take());
    return all_passed;
}

int run_class_times(const Course&, const ClassArguments& arguments) try {
    require_gradebook(arguments);
    const GradebookLock lock(arguments.gradebook);
    Gradebook gradebook(arguments.gradebook, Access::read_write);
    std::set<std::string> known;
    for (const gradebook::Attempt& attempt : gradebook.attempts()) known.insert(attempt.student);
    const auto times = said_times(arguments, known);
    const gradebook::Edition edition = current_edition(gradebook);
    const std::vector<std::string> changed = gradebook.say_times(times);
    fmt::print("{} of {} new or changed{}{}.\n", changed.size(), counted(times.size(), "time"),
               changed.empty() ? "" : ": ", named(changed));
    const auto untimed = open_marks(all_marks(gradebook, edition), Standing::untimed);
    if (!untimed.empty())
        fmt::print(
            "Still open, for want of a time: {}. ./headway class attempts ID shows which attempt, and ./headway class "
            "set-time ID ATTEMPT TIME says its time, where it is not the last.\n",
            named(untimed));
    return untimed.empty() ? all_passed : some_did_not_pass;
} catch (const gradebook::DatabaseError&) {
    throw;
} catch (const std::runtime_error& error) {
    throw UsageError(error.what());
}

int run_class_forget(const Course&, const ClassArguments& arguments) {
    require_gradebook(arguments);
    const GradebookLock lock(arguments.gradebook);
    Gradebook gradebook(arguments.gradebook, Access::read_write);
    const auto attempts = gradebook.attempts();
    const classroom::Roster roster = roster_of(arguments, attempts);
    const std::string student = student_meant(arguments.student, roster, attempts);
    const auto theirs = std::ranges::count(attempts, student, &gradebook::Attempt::student);
    const bool is_enrolled = roster.find(student) != nullptr;
    if (theirs == 0)
        throw UsageError(fmt::format("{} has handed in nothing that this gradebook knows{}", student,
                                     is_enrolled ? "; the roster has them, so take out their line there" : ""));
    fmt::print(
        "{} of {}, with verdicts, adjustments and decisions, would be deleted for good. ./headway class remove {} "
        "leaves them out of marks instead.\n",
        counted(static_cast<std::size_t>(theirs), "attempt"), student, student);
    if (!confirmed(arguments, "Delete?")) {
        fmt::print("Nothing is deleted. ./headway class forget {} --yes does it.\n", student);
        return some_did_not_pass;
    }
    gradebook.forget(student);
    fmt::print("Deleted. Reports and exports that were written before still show {}.\n", student);
    fmt::print("What they handed in is graded again if it is in a folder that ./headway class grade is given.\n");
    if (is_enrolled) fmt::print("The roster has them: take out their line there, or they have a mark of 0.\n");
    if (const auto copies = copies_of(arguments.gradebook); !copies.empty())
        fmt::print("So do these copies of the gradebook; delete them when you need them no more: {}\n",
                   fmt::join(copies, ", "));
    if (const auto edition = gradebook.current())
        if (policy_of(*edition).strangers({}).contains(student)) fmt::print("class.toml names them, too.\n");
    return all_passed;
}

}  // namespace headway::cli
