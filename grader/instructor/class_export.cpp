// What goes out of a gradebook: files for other programs, and pages.
#include "instructor/class_copies.hpp"
#include "instructor/class_results.hpp"
#include "instructor/export_tables.hpp"
#include "terminal/exit_status.hpp"

#include "classroom/class_page.hpp"
#include "classroom/csv.hpp"
#include "classroom/page_folder.hpp"
#include "classroom/student_page.hpp"
#include "report/gradescope.hpp"
#include "report/junit.hpp"
#include "submission/digest.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using gradebook::Access;
using gradebook::Gradebook;
using gradebook::Mark;
using report::counted;

void write(const fs::path& file, const std::string& text) {
    try {
        if (file.has_parent_path()) fs::create_directories(file.parent_path());
        build::write_file(file, text);
    } catch (const std::exception& error) {
        throw UsageError(fmt::format("cannot write {}: {}", file.string(), error.what()));
    }
}

/// What is written appears by a rename, which would put a file in the place of a device.
void require_ordinary_target(const fs::path& target) {
    std::error_code none;
    const fs::file_status status = fs::status(target, none);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
        throw UsageError(fmt::format("{} is no ordinary file; name a file or a folder to write", target.string()));
}

/// An option that another format would not follow must not look as if it did.
void require_options_of_format(const ClassArguments& arguments) {
    const TableFormat* const table = table_format(arguments.format);
    const bool names_columns = table != nullptr && table->names_columns;
    if (!names_columns && (!arguments.assignment.empty() || arguments.per_exercise))
        throw UsageError(fmt::format("--assignment and --per-exercise are for ./headway class export {}",
                                     fmt::join(names_of_tables_with_columns(), " and ")));
    if (arguments.format != "gradescope" && !arguments.visible.empty())
        throw UsageError("--visible is for ./headway class export gradescope");
}

/// Another program adds its columns up, and would count what is dropped here.
void require_columns_that_add_up(const ClassArguments& arguments, const ClassResults& results) {
    if (arguments.per_exercise && results.graded.policy.drop_lowest > 0)
        throw UsageError(
            "with drop_lowest or best in class.toml, columns of exercises do not add up to the mark: leave out "
            "--per-exercise, or take these out of class.toml and let the platform drop what is lowest");
}

/// A student's results.json has the mark, late days and adjustments included; its tests count as class.toml says.
std::string gradescope_document(const verdict::Verdict& verdict, const Mark& mark, const std::string& visible) {
    report::GradescopeOptions options;
    if (!visible.empty()) options.visibility = visible;
    for (const gradebook::ExerciseMark& exercise : mark.exercises)
        options.points[exercise.exercise] = exercise.max_points;
    nlohmann::json document = report::gradescope(verdict, options);
    document["score"] = classroom::in_hundredths(mark.points);  // as in every other export
    return document.dump(2) + "\n";
}

std::string document(const ClassArguments& arguments, const ClassResults& results, const Mark& mark) {
    const verdict::Verdict verdict = classroom::verdict_with_gaps(results.graded, mark);
    return arguments.format == "junit" ? report::junit(verdict) : gradescope_document(verdict, mark, arguments.visible);
}

/// A file per student. One of an earlier export must not stay for somebody who is gone, or whose mark is open now.
/// @return how many
std::size_t export_documents(const ClassArguments& arguments, const ClassResults& results) try {
    const bool is_for_gradescope = arguments.format == "gradescope";
    std::map<std::string, const Mark*> by_name;
    const std::vector<Mark> marks = with_usable_ids(results.marks);
    for (const Mark& mark : marks)
        if (mark.complete || !is_for_gradescope)
            by_name[mark.student + (is_for_gradescope ? "/results.json" : ".xml")] = &mark;
    std::set<std::string> names;
    for (const auto& [name, mark] : by_name) names.insert(name);
    const classroom::PageFolder folder(arguments.folder, names);
    for (const auto& [name, mark] : by_name) folder.write(name, document(arguments, results, *mark));
    if (const std::size_t removed = folder.finish(); removed > 0)
        fmt::print("{} of students who have none any more: removed.\n", counted(removed, "file"));
    return by_name.size();
} catch (const gradebook::DatabaseError&) {
    throw;
} catch (const std::runtime_error& error) {
    throw UsageError(error.what());
}

/// Students whom the platform cannot place, and in which of its lists it says how it knows them.
void tell_left_out(const TableFormat& format, const ClassResults& results, const std::vector<std::string>& left_out) {
    const std::vector<std::string> strangers =
        format.without_guests.empty() ? std::vector<std::string>() : guests(results);
    std::vector<std::string> unnumbered;
    for (const std::string& student : left_out)
        if (std::ranges::find(strangers, student) == strangers.end()) unnumbered.push_back(student);
    if (!strangers.empty())
        fmt::print(stderr, "headway: left out of the file, since {}: {}\n", format.without_guests, named(strangers));
    if (!unnumbered.empty())
        fmt::print(
            stderr,
            "headway: left out of the file, since nobody says which number {} has for them: {}.\n  Its {} says it: "
            "download that as roster.csv\n",
            format.platform, named(unnumbered), format.list);
}

void write_student_pages(const fs::path& folder, const ClassResults& results, const std::vector<Mark>& marks) try {
    std::set<std::string> names;
    for (const Mark& mark : marks) names.insert(mark.student + ".html");
    const classroom::PageFolder pages(folder, names);
    for (const Mark& mark : marks)
        pages.write(mark.student + ".html",
                    classroom::student_page(results.graded, mark, results.roster.name_of(mark.student),
                                            classroom::Copy::instructors));
    if (const std::size_t removed = pages.finish(); removed > 0)
        fmt::print("{} of students who are gone: removed.\n", counted(removed, "page"));
} catch (const std::runtime_error& error) {
    throw UsageError(error.what());
}

}  // namespace

int run_class_export(const Course& course, const ClassArguments& arguments) {
    require_gradebook(arguments);
    require_options_of_format(arguments);
    require_ordinary_target(arguments.folder);
    const Gradebook gradebook(arguments.gradebook, Access::read_only);
    const ClassResults results = class_results(course, arguments, gradebook);
    require_columns_that_add_up(arguments, results);
    if (arguments.format == "jplag") return export_jplag(course, arguments, gradebook, results.marks);
    tell_of_changed_policy(arguments, results.graded.edition);
    tell_of_strangers(gradebook, results.graded.edition, ids_of(results.roster));
    if (arguments.format.ends_with("feedback")) return export_feedback(arguments, results);
    const TableFormat* const format = table_format(arguments.format);
    Table table;
    if (format != nullptr) {
        table = format->make(arguments, results);
        write(arguments.folder, table.text);
    }
    const std::size_t written =
        format != nullptr ? results.marks.size() - table.left_out.size() : export_documents(arguments, results);
    fmt::print("{} in {}.\n", counted(written, "student"), arguments.folder);
    if (format != nullptr) tell_left_out(*format, results, table.left_out);
    const int status = tell_incomplete(results);
    return status == all_passed && !table.left_out.empty() ? some_did_not_pass : status;
}

int run_class_report(const Course& course, const ClassArguments& arguments) {
    require_gradebook(arguments);
    const Gradebook gradebook(arguments.gradebook, Access::read_only);
    const ClassResults results = class_results(course, arguments, gradebook);
    const classroom::ClassFindings findings =
        classroom::find_out(gradebook, results.graded.edition, results.marks, course,
                            read_elsewhere(course, arguments.compare), results.graded.policy);
    tell_of_changed_policy(arguments, results.graded.edition);
    tell_of_strangers(gradebook, results.graded.edition, ids_of(results.roster));
    tell_of_test_student(results.roster);
    const fs::path folder = arguments.folder;
    classroom::make_private(folder);
    write_student_pages(folder / "students", results, with_usable_ids(findings.marks));
    write(folder / "index.html", classroom::class_page(findings, results.roster));
    write(folder / "similarity.html", classroom::similarity_page(findings, results.roster));
    fmt::print("{}; open {}\n", counted(findings.marks.size(), "student"), (folder / "index.html").string());
    return all_passed;
}

}  // namespace headway::cli
