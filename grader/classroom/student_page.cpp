#include "classroom/student_page.hpp"

#include "classroom/html.hpp"
#include "classroom/marks_in_words.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headway::classroom {
namespace {

using gradebook::Attempt;
using gradebook::ExerciseMark;
using gradebook::Mark;
using gradebook::Standing;
using Cell = Html::Cell;

/// Of what a test printed. A submission may print megabytes, and pages are sent by mail.
constexpr std::size_t most_of_output = 4096;

/// "03 scaled scores"
std::string title_of(const ExerciseMark& one) {
    std::string title = one.exercise;
    std::ranges::replace(title, '_', ' ');
    return title;
}

void show_points(Html& page, const gradebook::MarkingPolicy& policy, const Mark& mark) {
    page.paragraph(total_in_words(mark) + (mark.complete ? "." : ": something of it is still open. That is no zero."));
    std::vector<std::vector<Cell>> rows;
    for (const ExerciseMark& one : mark.exercises) {
        const std::string link = one.standing == Standing::graded ? "#exercise-" + one.exercise.substr(0, 2) : "";
        rows.push_back(
            {{title_of(one), link}, {points_in_words(one), "", true}, {"", "", false, reasons_in_words(one, mark)}});
    }
    page.heading("Your points").table({"exercise", "points", "how they come about"}, rows);
    if (policy.drop_lowest > 0)
        page.paragraph(fmt::format(
            "Of the exercises that are no extra credit, the lowest {} not count; which, is open until each has a mark.",
            policy.drop_lowest == 1 ? "does" : fmt::format("{} do", policy.drop_lowest)));
    if (policy.round_to)
        page.paragraph(fmt::format("The total is rounded to the nearest multiple of {:g}.", *policy.round_to));
    for (const std::string& sentence : adjustments_in_words(mark, "")) page.paragraph("In all: " + sentence);
    for (const std::string& note : mark.notes) page.paragraph("Note: " + note);
}

std::string files_in_words(const GradedClass& graded, const ExerciseMark& one) {
    try {
        std::vector<std::string> names;
        for (const build::SourceFile& file : graded.gradebook.source({one.exercise, one.source, ""}).files)
            names.push_back(file.path.generic_string());
        return fmt::format("{}", fmt::join(names, ", "));
    } catch (const std::runtime_error&) {
        return "damaged in the gradebook";  // the verdict has a checksum of its own
    }
}

/// "attempt 2 of 3, by ben for your group"
std::string attempt_in_words(const GradedClass& graded, const Attempt& attempt, const Mark& mark) {
    const std::vector<const Attempt*> attempts = attempts_of(graded, mark.student);
    const auto place = std::ranges::find(attempts, &attempt) - attempts.begin();
    const std::string text = fmt::format("attempt {} of {}", place + 1, attempts.size());
    return attempt.student == mark.student ? text : fmt::format("{}, by {} for your group", text, attempt.student);
}

/// When it was due, handed in and graded.
std::vector<std::string> times_in_words(const GradedClass& graded, const Attempt& attempt, const Mark& mark,
                                        const std::string& exercise, const std::string& graded_at) {
    std::vector<std::string> lines = {attempt.submitted ? "handed in " + time_in_words(*attempt.submitted)
                                                        : "handed in at a time that is not known"};
    const auto rule = graded.policy.exercises.find(exercise);
    if (rule != graded.policy.exercises.end() && rule->second.deadline) {
        lines.push_back("due " + time_in_words(*rule->second.deadline));
        if (const int days = graded.policy.extension(mark.student, exercise); days > 0)
            lines.push_back("extended by " + report::counted(static_cast<std::size_t>(days), "day"));
    }
    lines.push_back(graded_at.empty() ? "not graded yet" : "graded " + time_in_words(graded_at));
    return lines;
}

void show_what_was_graded(Html& page, const GradedClass& graded, const Mark& mark) {
    std::vector<std::vector<Cell>> rows;
    for (const ExerciseMark& one : mark.exercises) {
        const auto attempt = std::ranges::find(graded.attempts, one.attempt, &Attempt::id);
        if (one.source.empty() || attempt == graded.attempts.end()) continue;
        const auto verdict = graded.gradebook.verdict(one.source, graded.edition.suites.at(one.exercise));
        rows.push_back(
            {{title_of(one)},
             {files_in_words(graded, one), "", false, {attempt_in_words(graded, *attempt, mark)}},
             {"", "", false, times_in_words(graded, *attempt, mark, one.exercise, verdict ? verdict->graded : "")}});
    }
    if (rows.empty()) return;
    page.heading("What was graded").table({"exercise", "files", "when"}, rows);
    page.paragraph(graded.policy.attempts == gradebook::MarkingPolicy::Counts::last
                       ? "Of several attempts, the last counts."
                       : "Of several attempts, the best counts, exercise by exercise.");
}

void shorten_output(verdict::Exercise& exercise) {
    for (verdict::Test& test : exercise.tests) {
        if (test.output.size() <= most_of_output) continue;
        test.output.resize(most_of_output);
        test.output_truncated = true;
    }
}

}  // namespace

std::string student_page(const GradedClass& graded, const Mark& mark, const std::string& name, Copy copy) {
    Html page(name.empty() ? mark.student : fmt::format("{} ({})", name, mark.student));
    show_points(page, graded.policy, mark);
    show_what_was_graded(page, graded, mark);
    verdict::Verdict verdict = verdict_of(graded, mark);
    if (!verdict.exercises.empty()) page.heading("What the tests say");
    for (verdict::Exercise& exercise : verdict.exercises) {
        shorten_output(exercise);
        page.exercise(exercise);
    }
    if (copy == Copy::instructors) page.link("../index.html", "The class");
    return page.take();
}

}  // namespace headway::classroom
