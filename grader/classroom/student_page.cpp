#include "classroom/class_page.hpp"

#include "classroom/exports.hpp"
#include "classroom/html.hpp"

#include "report/terminal.hpp"

#include <fmt/format.h>

namespace headway::classroom {
namespace {

using gradebook::ExerciseMark;
using gradebook::Mark;

void show_marks(Html& page, const Mark& mark) {
    std::vector<std::vector<Html::Cell>> rows;
    const auto number = [](double value) { return Html::Cell{fmt::format("{:.2f}", value), "", true}; };
    for (const ExerciseMark& one : mark.exercises)
        rows.push_back({{one.exercise},
                        {to_string(one.standing)},
                        one.open ? Html::Cell{"-", "", true} : number(one.points),
                        number(one.max_points),
                        {fmt::format("{}", one.days_late), "", true},
                        number(one.deducted),
                        number(one.adjusted)});
    page.table({"exercise", "", "points", "of", "days late", "deducted", "adjusted"}, rows);
    if (mark.complete) page.paragraph(fmt::format("{:.2f} of {:.2f} points.", mark.points, mark.max_points));
    if (!mark.complete)
        page.paragraph(
            "No mark yet: something is not graded, could not be read, or was handed in at a time that is not known. "
            "That is no zero.");
    if (mark.free_days > 0) page.paragraph(fmt::format("Free days used: {}.", mark.free_days));
    for (const gradebook::Adjustment& adjustment : mark.adjustments)
        page.paragraph(fmt::format("{:+g} points{}: {} ({}, {})", adjustment.points,
                                   adjustment.exercise.empty() ? "" : " in " + adjustment.exercise, adjustment.reason,
                                   adjustment.author, adjustment.made));
    for (const std::string& note : mark.notes) page.paragraph("Note: " + note);
}

}  // namespace

std::string student_page(const gradebook::Gradebook& gradebook, const gradebook::Edition& edition, const Mark& mark,
                         verdict::Tell tell) {
    Html page(mark.student);
    show_marks(page, mark);
    for (const ExerciseMark& one : mark.exercises) {
        if (one.source.empty()) continue;
        const auto graded = gradebook.verdict(one.source, edition.suites.at(one.exercise));
        if (!graded) continue;
        verdict::Verdict verdict;
        verdict.submission = "exercises";
        verdict.digest = graded->exercise.digest;
        verdict.exercises = {graded->exercise};
        verdict::withhold(verdict, tell);
        page.heading(one.exercise).code(report::render(verdict, {.width = 100}));
    }
    page.link("../index.html", "The class");
    return page.take();
}

}  // namespace headway::classroom
