// What others see of a class that is graded: export, report.
#include "cli/class_copies.hpp"
#include "cli/class_desk.hpp"
#include "cli/commands.hpp"

#include "classroom/class_page.hpp"
#include "classroom/exports.hpp"
#include "intake/student_id.hpp"
#include "report/gradescope.hpp"
#include "report/junit.hpp"
#include "submission/digest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using gradebook::Access;
using gradebook::Edition;
using gradebook::Gradebook;
using gradebook::Mark;

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

/// Who has no mark, and what is to be done about it. @return the exit status
int tell_incomplete(const std::vector<Mark>& marks) {
    const auto unread = open_marks(marks, gradebook::Standing::malformed);
    const auto untimed = open_marks(marks, gradebook::Standing::untimed);
    const auto pending = open_marks(marks, gradebook::Standing::pending);
    if (!unread.empty())
        fmt::print(
            stderr,
            "headway: {} handed in what could not be read: no mark, and no zero. ./headway class export csv says "
            "why;\n  a new hand-in settles it, or ./headway class adjust ID --points N\n",
            unread.size());
    if (!untimed.empty())
        fmt::print(
            stderr,
            "headway: no mark, and no zero, for {}: handed in at a time that is not known, with a deadline.\n  {}\n",
            named(untimed), next_for_untimed);
    if (!pending.empty())
        fmt::print(stderr, "headway: {} have no mark yet; ./headway class grade goes on with them\n", pending.size());
    if (!pending.empty()) return machine_at_fault;
    return unread.empty() && untimed.empty() ? all_passed : some_did_not_pass;
}

}  // namespace

int run_class_export(const Course& course, const ClassArguments& arguments) {
    require_gradebook(arguments);
    const Gradebook gradebook(arguments.gradebook, Access::read_only);
    const Edition edition = current_edition(gradebook);
    const std::vector<Mark> marks = all_marks(course, gradebook, edition);
    if (arguments.format == "jplag") return export_jplag(course, arguments, gradebook, marks);
    tell_of_changed_policy(arguments, edition);
    tell_of_strangers(course, gradebook, edition);
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
    const classroom::ClassFindings findings = classroom::find_out(
        gradebook, edition, all_marks(course, gradebook, edition), course, read_elsewhere(course, arguments.compare));
    tell_of_changed_policy(arguments, edition);
    tell_of_strangers(course, gradebook, edition);
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
