#include "classroom/exports.hpp"

#include "classroom/csv.hpp"
#include "classroom/marks_in_words.hpp"
#include "report/xml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

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

/// What was decided about a total, which no exercise's column shows: with it the columns add up to the mark.
double by_hand(const Mark& mark) {
    double points = mark.points - by_rounding(mark);
    for (const ExerciseMark& one : mark.exercises) points -= one.points;
    return std::abs(points) < 1e-9 ? 0 : points;
}

/// Whether anybody's mark has something of that kind.
bool some_have(double (*part)(const Mark&), const std::vector<Mark>& marks) {
    return std::ranges::any_of(marks, [&](const Mark& mark) { return mark.complete && part(mark) != 0; });
}

/// Name, ID, SIS ids and section, as Canvas asks for them.
void canvas_person(Csv& csv, const Mark& mark, const Numbers& users, const Roster& roster) {
    const Enrolled unlisted{.id = mark.student};
    const Enrolled* listed = roster.find(mark.student);
    const Enrolled& one = listed == nullptr ? unlisted : *listed;
    const auto number = users.find(mark.student);
    const bool has_number = number != users.end();
    csv.text(one.name.empty() ? mark.student : one.name).text(has_number ? number->second : "").text(one.sis_user);
    const bool may_be_login = !has_number && one.sis_user.empty();
    csv.text(one.sis_login.empty() && may_be_login ? mark.student : one.sis_login).text(one.section);
}

/// Columns of points in a platform's gradebook: the total, or each exercise and what was decided about totals.
class PointColumns {
public:
    PointColumns(const std::vector<Mark>& marks, const GradeColumns& columns)
        : has_exercises_(columns.of == GradeColumns::Of::each_exercise && !marks.empty()) {
        if (!has_exercises_) names_.push_back(columns.assignment);
        if (has_exercises_)
            for (const ExerciseMark& one : marks.front().exercises)
                names_.push_back(columns.assignment + " " + one.exercise);
        if (has_exercises_ && some_have(by_hand, marks)) add(columns.assignment + " by hand", by_hand);
        if (has_exercises_ && some_have(by_rounding, marks)) add(columns.assignment + " rounding", by_rounding);
    }

    const std::vector<std::string>& names() const { return names_; }

    void possible(Csv& csv, const std::vector<Mark>& marks) const {
        if (!has_exercises_) csv.number(marks.empty() ? 0 : marks.front().max_points);
        if (has_exercises_)
            for (const ExerciseMark& one : marks.front().exercises) csv.number(one.extra_credit ? 0 : one.max_points);
        for (std::size_t i = 0; i < of_totals_.size(); ++i) csv.number(0);
    }

    void points(Csv& csv, const Mark& mark) const {
        if (!has_exercises_) total(csv, mark);
        if (has_exercises_)
            for (const ExerciseMark& one : mark.exercises) one.open ? csv.empty() : csv.number(one.points);
        for (const auto part : of_totals_) mark.complete ? csv.number(part(mark)) : csv.empty();
    }

private:
    void add(const std::string& name, double (*part)(const Mark&)) {
        names_.push_back(name);
        of_totals_.push_back(part);
    }

    bool has_exercises_;
    std::vector<std::string> names_;
    std::vector<double (*)(const Mark&)> of_totals_;  ///< columns after the exercises'
};

bool is_in_brightspace(const Enrolled& one) { return !(one.org_defined.empty() && one.brightspace_user.empty()); }

/// As Brightspace writes an id; nothing for none.
std::string with_mark(const std::string& id) { return id.empty() ? "" : "#" + id; }

/// OrgDefinedId and Username.
void brightspace_person(Csv& csv, const std::string& student, const Roster& roster) {
    const Enrolled unlisted{.id = student};
    const Enrolled* listed = roster.find(student);
    const Enrolled& one = listed == nullptr ? unlisted : *listed;
    csv.text(with_mark(one.org_defined)).text(with_mark(is_in_brightspace(one) ? one.brightspace_user : student));
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

double by_rounding(const Mark& mark) { return mark.rounded_from ? mark.points - *mark.rounded_from : 0; }

bool handed_in_nothing(const Mark& mark) {
    return std::ranges::all_of(mark.exercises,
                               [](const ExerciseMark& one) { return one.standing == Standing::missing; });
}

void leave_out_what_does_not_count(std::vector<Mark>& marks) {
    std::set<std::string> kept;  // by all: every row has the same columns
    for (const Mark& mark : marks)
        for (const ExerciseMark& one : mark.exercises)
            if (one.max_points > 0 || one.adjusted != 0 || one.set_to) kept.insert(one.exercise);
    for (Mark& mark : marks) {
        std::erase_if(mark.exercises, [&](const ExerciseMark& one) { return !kept.contains(one.exercise); });
        mark.complete = mark.set_to || std::ranges::none_of(mark.exercises, &ExerciseMark::open);
    }
}

std::string marks_csv(const std::vector<Mark>& marks, const Roster& roster) {
    Csv csv;
    csv.text("student");
    if (!roster.empty()) csv.text("name").text("section");
    csv.text("points").text("max_points").text("complete").text("adjusted").text("free_days");
    if (!marks.empty())
        for (const ExerciseMark& one : marks.front().exercises)
            for (const char* column : {"", "_points", "_days_late", "_deducted", "_adjusted"})
                csv.text(one.exercise + column);
    csv.text("notes").end_row();
    for (const Mark& mark : marks) {
        const Enrolled* person = roster.find(mark.student);
        csv.text(mark.student);
        if (!roster.empty()) csv.text(person ? person->name : "").text(person ? person->section : "");
        total(csv, mark);
        csv.number(mark.max_points).text(mark.complete ? "yes" : "no").number(mark.adjusted).number(mark.free_days);
        for (const ExerciseMark& one : mark.exercises) exercise_fields(csv, one);
        std::vector<std::string> notes = mark.notes;
        if (!roster.empty() && person == nullptr) notes.emplace_back("not in the roster");
        csv.text(fmt::format("{}", fmt::join(notes, "; "))).end_row();
    }
    return csv.take();
}

std::string moodle_csv(const std::vector<Mark>& marks, const std::string& modified, const Numbers& participants,
                       const Roster& roster) {
    Csv csv;
    csv.text("Identifier");
    if (!roster.empty()) csv.text("Full name");
    csv.text("Grade").text("Last modified (grade)").text("Feedback comments").end_row();
    for (const Mark& mark : marks) {
        const auto number = participants.find(mark.student);
        if (number == participants.end()) continue;
        csv.text("Participant " + number->second);
        if (!roster.empty()) csv.text(roster.name_of(mark.student));
        total(csv, mark);
        // Moodle takes a comment for HTML.
        csv.text(modified).text(report::xml_escaped(comment_in_words(mark), report::XmlContext::text)).end_row();
    }
    return csv.take();
}

bool has_canvas_row(const std::string& student, const Numbers& users, const Roster& roster) {
    const Enrolled* one = roster.find(student);
    if (one == nullptr && !roster.empty()) return false;
    const bool has_sis = one != nullptr && !(one->sis_user.empty() && one->sis_login.empty());
    return has_sis || users.contains(student) || !is_number(student);
}

std::string canvas_csv(const std::vector<Mark>& all_marks, const GradeColumns& columns, const Numbers& users,
                       const Roster& roster) {
    std::vector<Mark> marks = all_marks;
    std::erase_if(marks, [&](const Mark& mark) { return !has_canvas_row(mark.student, users, roster); });
    const PointColumns points(marks, columns);
    Csv csv;
    for (const char* column : {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"}) csv.text(column);
    for (const std::string& name : points.names()) csv.text(name);
    csv.end_row();
    csv.text("    Points Possible").empty().empty().empty().empty();
    points.possible(csv, marks);
    csv.end_row();
    for (const Mark& mark : marks) {
        canvas_person(csv, mark, users, roster);
        points.points(csv, mark);
        csv.end_row();
    }
    return csv.take();
}

bool has_brightspace_row(const std::string& student, const Roster& roster) {
    const Enrolled* one = roster.find(student);
    if (one == nullptr && !roster.empty()) return false;
    return (one != nullptr && is_in_brightspace(*one)) || !is_number(student);
}

std::string brightspace_csv(const std::vector<Mark>& all_marks, const GradeColumns& columns, const Roster& roster) {
    std::vector<Mark> marks = all_marks;
    std::erase_if(marks, [&](const Mark& mark) { return !has_brightspace_row(mark.student, roster); });
    const PointColumns points(marks, columns);
    Csv csv;
    csv.text("OrgDefinedId").text("Username");
    for (const std::string& name : points.names()) csv.text(name + " Points Grade");
    csv.text("End-of-Line Indicator").end_row();
    for (const Mark& mark : marks) {
        brightspace_person(csv, mark.student, roster);
        points.points(csv, mark);
        csv.text("#").end_row();
    }
    return csv.take();
}

}  // namespace headway::classroom
