#include "instructor/export_tables.hpp"

#include "classroom/exports.hpp"
#include "classroom/platform_numbers.hpp"

#include <algorithm>
#include <functional>

namespace headway::cli {
namespace {

std::vector<std::string> without(const ClassResults& results, const std::function<bool(const std::string&)>& has_row) {
    std::vector<std::string> left_out;
    for (const gradebook::Mark& mark : results.marks)
        if (!has_row(mark.student)) left_out.push_back(mark.student);
    return left_out;
}

classroom::GradeColumns grade_columns(const ClassArguments& arguments) {
    classroom::GradeColumns columns;
    if (!arguments.assignment.empty()) columns.assignment = arguments.assignment;
    if (arguments.per_exercise) columns.of = classroom::GradeColumns::Of::each_exercise;
    return columns;
}

Table csv(const ClassArguments&, const ClassResults& results) {
    return {classroom::marks_csv(results.marks, results.roster), {}};
}

Table moodle(const ClassArguments&, const ClassResults& results) {
    const auto participants = classroom::moodle_participants(results.roster, results.graded.attempts);
    return {classroom::moodle_csv(results.marks, verdict::now(), participants, results.roster),
            without(results, [&](const std::string& one) { return participants.contains(one); })};
}

Table canvas(const ClassArguments& arguments, const ClassResults& results) {
    const auto users = classroom::canvas_users(results.roster, results.graded.attempts);
    return {classroom::canvas_csv(results.marks, grade_columns(arguments), users, results.roster),
            without(results, [&](const std::string& one) { return has_canvas_row(one, users, results.roster); })};
}

Table brightspace(const ClassArguments& arguments, const ClassResults& results) {
    return {classroom::brightspace_csv(results.marks, grade_columns(arguments), results.roster),
            without(results, [&](const std::string& one) { return has_brightspace_row(one, results.roster); })};
}

template <class Has>
std::vector<std::string> names_of(const Has& has) {
    std::vector<std::string> names;
    for (const TableFormat& format : table_formats())
        if (has(format)) names.emplace_back(format.name);
    return names;
}

}  // namespace

std::span<const TableFormat> table_formats() {
    static constexpr TableFormat all[] = {
        {.name = "csv", .make = csv},
        {.name = "moodle", .make = moodle, .platform = "Moodle", .list = "grading worksheet"},
        {.name = "canvas",
         .make = canvas,
         .names_columns = true,
         .platform = "Canvas",
         .list = "gradebook's export",
         .without_guests = "Canvas refuses or makes up whom it does not know"},
        {.name = "brightspace",
         .make = brightspace,
         .names_columns = true,
         .platform = "Brightspace",
         .list = "export of grades",
         .without_guests = "nobody in the roster goes by these ids"},
    };
    return all;
}

const TableFormat* table_format(std::string_view name) {
    const auto found = std::ranges::find(table_formats(), name, &TableFormat::name);
    return found != table_formats().end() ? &*found : nullptr;
}

std::vector<std::string> names_of_tables() {
    return names_of([](const TableFormat&) { return true; });
}

std::vector<std::string> names_of_tables_with_columns() { return names_of(std::mem_fn(&TableFormat::names_columns)); }

}  // namespace headway::cli
