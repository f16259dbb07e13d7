// What goes out of a gradebook: files for other programs, and pages.
#include "cli/class_desk.hpp"
#include "cli/commands.hpp"

#include "classroom/class_page.hpp"
#include "classroom/exports.hpp"
#include "intake/entry_name.hpp"
#include "report/gradescope.hpp"
#include "report/junit.hpp"
#include "submission/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using gradebook::Access;
using gradebook::Edition;
using gradebook::Gradebook;
using gradebook::Mark;

/// Of those whose id can be a file's name; the others' rows say what is wrong with it.
std::vector<Mark> usable_marks(const Course& course, const Gradebook& gradebook, const Edition& edition) {
    std::vector<Mark> marks =
        gradebook::derive_marks(gradebook::record_of(gradebook, edition),
                                gradebook::MarkingPolicy::parse(edition.policy, exercise_names(course)));
    std::erase_if(marks, [](const Mark& mark) { return !intake::is_usable_id(mark.student); });
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

}  // namespace

int run_class_export(const Course& course, const ClassArguments& arguments) {
    require_gradebook(arguments);
    const Gradebook gradebook(arguments.gradebook, Access::read_only);
    const Edition edition = current_edition(gradebook);
    const std::vector<Mark> marks = usable_marks(course, gradebook, edition);
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
        gradebook, edition, usable_marks(course, gradebook, edition), classroom::starter_code(course));
    const fs::path folder = arguments.folder;
    make_private(folder);
    write(folder / "index.html", classroom::class_page(findings));
    write(folder / "similarity.html", classroom::similarity_page(findings));
    for (const Mark& mark : findings.marks)
        write(folder / "students" / (mark.student + ".html"),
              classroom::student_page(gradebook, edition, mark, course.tell));
    fmt::print("{} students; open {}\n", findings.marks.size(), (folder / "index.html").string());
    return all_passed;
}

}  // namespace headway::cli
