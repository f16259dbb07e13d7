// What is done with a class that is graded: adjust, regrade, export, report.
#include "cli/class_copies.hpp"
#include "cli/class_desk.hpp"
#include "cli/commands.hpp"
#include "terminal/console.hpp"
#include "terminal/interrupt.hpp"

#include "classroom/class_page.hpp"
#include "classroom/exports.hpp"
#include "classroom/local_grader.hpp"
#include "classroom/mark_changes.hpp"
#include "intake/student_id.hpp"
#include "report/gradescope.hpp"
#include "report/junit.hpp"
#include "submission/digest.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include <unistd.h>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using gradebook::Access;
using gradebook::Edition;
using gradebook::Gradebook;
using gradebook::Mark;

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

/// Of everybody: rows without a usable id say what is wrong, until what came in them has come with one.
std::vector<Mark> all_marks(const Course& course, const Gradebook& gradebook, const Edition& edition) {
    std::set<std::string> known;  // files and folders
    std::map<std::string, std::set<std::string>> unknown;
    for (const gradebook::Attempt& attempt : gradebook.attempts())
        (intake::is_usable_id(attempt.student) ? known : unknown[attempt.student]).insert(attempt.entry);
    std::vector<Mark> marks =
        gradebook::derive_marks(gradebook::record_of(gradebook, edition),
                                gradebook::MarkingPolicy::parse(edition.policy, exercise_names(course)));
    std::erase_if(marks, [&](const Mark& mark) {
        const auto row = unknown.find(mark.student);
        return row != unknown.end() && std::ranges::includes(known, row->second);
    });
    return marks;
}

void write(const fs::path& file, const std::string& text) {
    try {
        if (file.has_parent_path()) fs::create_directories(file.parent_path());
        build::write_file(file, text);
    } catch (const std::exception& error) {
        throw UsageError(fmt::format("cannot write {}: {}", file.string(), error.what()));
    }
}

/// A new folder for marks and names is for who grades alone. One that is there has the rights that somebody chose.
void make_private(const fs::path& folder) {
    std::error_code ignored;  // write() says better what is wrong
    if (fs::create_directories(folder, ignored)) fs::permissions(folder, fs::perms::owner_all, ignored);
}

/// What counts of one student, as one document.
verdict::Verdict verdict_of(const Gradebook& gradebook, const Edition& edition, const Mark& mark, verdict::Tell tell) {
    verdict::Verdict verdict;
    verdict.submission = mark.student;
    build::Digest digest;
    for (const gradebook::ExerciseMark& one : mark.exercises) {
        if (one.source.empty()) continue;
        const auto graded = gradebook.verdict(one.source, edition.suites.at(one.exercise));
        if (!graded) continue;
        verdict.started = graded->graded;
        verdict.seconds += graded->exercise.seconds;
        verdict.exercises.push_back(graded->exercise);
        digest.add(graded->exercise.digest);
    }
    verdict.digest = digest.hex();
    verdict::withhold(verdict, tell);
    return verdict;
}

/// A student's results.json has the mark, late days and adjustments included.
std::string gradescope_document(const verdict::Verdict& verdict, const Mark& mark) {
    nlohmann::json document = report::gradescope(verdict);
    document["score"] = mark.points;
    return document.dump(2) + "\n";
}

void export_documents(const Course& course, const ClassArguments& arguments, const Gradebook& gradebook,
                      const Edition& edition, const std::vector<Mark>& marks) {
    for (const Mark& mark : marks) {
        if (!intake::is_usable_id(mark.student)) continue;  // it is the name of a file
        const verdict::Verdict verdict = verdict_of(gradebook, edition, mark, course.tell);
        const fs::path folder = arguments.folder;
        if (arguments.format == "junit") {
            write(folder / (mark.student + ".xml"), report::junit(verdict));
        } else if (mark.complete) {
            write(folder / mark.student / "results.json", gradescope_document(verdict, mark));
        }
    }
}

bool is_unread(const gradebook::ExerciseMark& one) {
    return one.open && one.standing == gradebook::Standing::malformed;
}

/// Who has no mark, and what is to be done about it. @return the exit status
int tell_incomplete(const std::vector<Mark>& marks) {
    std::size_t pending = 0;
    std::size_t unread = 0;
    for (const Mark& mark : marks) {
        if (mark.complete) continue;
        ++(std::ranges::any_of(mark.exercises, is_unread) ? unread : pending);
    }
    if (unread > 0)
        fmt::print(
            stderr,
            "headway: {} handed in what could not be read: no mark, and no zero. ./headway class export csv says "
            "why;\n  a new hand-in settles it, or ./headway class adjust ID --points N\n",
            unread);
    if (pending > 0)
        fmt::print(stderr, "headway: {} have no mark yet; ./headway class grade goes on with them\n", pending);
    return pending > 0 ? machine_at_fault : unread > 0 ? some_did_not_pass : all_passed;
}

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

/// The id of who was named by it, or by the name that it was made of: "Jane Doe" is Jane~Doe.
std::string known_student(const Gradebook& gradebook, const std::string& named) {
    const auto attempts = gradebook.attempts();
    for (const std::string& id : {named, intake::student_of(named)})
        if (std::ranges::find(attempts, id, &gradebook::Attempt::student) != attempts.end()) return id;
    throw UsageError(fmt::format("{} has handed in nothing that this gradebook knows", named));
}

}  // namespace

int run_class_adjust(const Course& course, const ClassArguments& arguments) {
    require_gradebook(arguments);
    const GradebookLock lock(arguments.gradebook);
    Gradebook gradebook(arguments.gradebook, Access::read_write);
    const std::string student = known_student(gradebook, arguments.student);
    if (!std::isfinite(arguments.points) || arguments.reason.empty() || arguments.author.empty())
        throw UsageError("an adjustment needs points, an author and a reason");
    const std::string exercise = arguments.exercise.empty() ? "" : course.find(arguments.exercise).name;
    gradebook.adjust({student, exercise, arguments.points, arguments.author, arguments.reason, verdict::now()});
    fmt::print("{}: {:+g} points{}. The opposite undoes it; both stay in the gradebook.\n", student, arguments.points,
               exercise.empty() ? "" : " in " + exercise);
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

int run_class_export(const Course& course, const ClassArguments& arguments) {
    require_gradebook(arguments);
    const Gradebook gradebook(arguments.gradebook, Access::read_only);
    const Edition edition = current_edition(gradebook);
    const std::vector<Mark> marks = all_marks(course, gradebook, edition);
    if (arguments.format == "jplag") return export_jplag(course, arguments, gradebook, marks);
    if (arguments.format == "csv")
        write(arguments.folder, classroom::marks_csv(marks));
    else if (arguments.format == "moodle")
        write(arguments.folder, classroom::moodle_csv(marks, verdict::now()));
    else if (arguments.format == "canvas")
        write(arguments.folder, classroom::canvas_csv(marks, "Headway"));
    else
        export_documents(course, arguments, gradebook, edition, marks);
    fmt::print("{} students in {}.\n", marks.size(), arguments.folder);
    return tell_incomplete(marks);
}

int run_class_report(const Course& course, const ClassArguments& arguments) {
    require_gradebook(arguments);
    const Gradebook gradebook(arguments.gradebook, Access::read_only);
    const Edition edition = current_edition(gradebook);
    const classroom::ClassFindings findings =
        classroom::find_out(gradebook, edition, all_marks(course, gradebook, edition), course,
                            read_elsewhere(course, arguments.compare));
    const fs::path folder = arguments.folder;
    make_private(folder);
    write(folder / "index.html", classroom::class_page(findings));
    write(folder / "similarity.html", classroom::similarity_page(findings));
    for (const Mark& mark : findings.marks)
        if (intake::is_usable_id(mark.student))
            write(folder / "students" / (mark.student + ".html"),
                  classroom::student_page(gradebook, edition, mark, course.tell));
    fmt::print("{} students; open {}\n", findings.marks.size(), (folder / "index.html").string());
    return all_passed;
}

}  // namespace headway::cli
