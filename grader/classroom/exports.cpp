#include "classroom/exports.hpp"

#include "classroom/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headway::classroom {
namespace {

using gradebook::ExerciseMark;
using gradebook::Mark;
using gradebook::Standing;

void exercise_fields(Csv& csv, const ExerciseMark& one) {
    csv.text(to_string(one.standing));
    !one.open ? csv.number(one.points) : csv.empty();
    csv.number(one.days_late).number(one.deducted).number(one.adjusted);
}

void total(Csv& csv, const Mark& mark) { mark.complete ? csv.number(mark.points) : csv.empty(); }

/// A digit-only id is Moodle's participant or Canvas's user.
bool is_number(const std::string& id) {
    return !id.empty() && std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string to_string(Standing standing) {
    switch (standing) {
        case Standing::missing:
            return "missing";
        case Standing::malformed:
            return "malformed";
        case Standing::pending:
            return "pending";
        case Standing::untimed:
            return "untimed";
        case Standing::graded:
            break;
    }
    return "graded";
}

std::string marks_csv(const std::vector<Mark>& marks) {
    Csv csv;
    csv.text("student").text("points").text("max_points").text("complete").text("adjusted").text("free_days");
    if (!marks.empty())
        for (const ExerciseMark& one : marks.front().exercises)
            for (const char* column : {"", "_points", "_days_late", "_deducted", "_adjusted"})
                csv.text(one.exercise + column);
    csv.text("notes").end_row();
    for (const Mark& mark : marks) {
        csv.text(mark.student);
        total(csv, mark);
        csv.number(mark.max_points).text(mark.complete ? "yes" : "no").number(mark.adjusted).number(mark.free_days);
        for (const ExerciseMark& one : mark.exercises) exercise_fields(csv, one);
        csv.text(fmt::format("{}", fmt::join(mark.notes, "; "))).end_row();
    }
    return csv.take();
}

std::string moodle_csv(const std::vector<Mark>& marks, const std::string& modified) {
    Csv csv;
    csv.text("Identifier").text("Grade").text("Last modified (grade)").end_row();
    for (const Mark& mark : marks) {
        csv.text(is_number(mark.student) ? "Participant " + mark.student : mark.student);
        total(csv, mark);
        csv.text(modified).end_row();
    }
    return csv.take();
}

std::string canvas_csv(const std::vector<Mark>& marks, const std::string& assignment) {
    Csv csv;
    for (const char* column : {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"}) csv.text(column);
    csv.text(assignment).end_row();
    csv.text("    Points Possible").empty().empty().empty().empty();
    csv.number(marks.empty() ? 0 : marks.front().max_points).end_row();
    for (const Mark& mark : marks) {
        const bool is_user = is_number(mark.student);
        csv.text(mark.student).text(is_user ? mark.student : "").empty().text(is_user ? "" : mark.student).empty();
        total(csv, mark);
        csv.end_row();
    }
    return csv.take();
}

}  // namespace headway::classroom
