#include "report/exercise_view.hpp"

#include <fmt/format.h>

#include "report/build_view.hpp"
#include "report/compiler_view.hpp"
#include "report/diagnosis_view.hpp"
#include "report/next_step.hpp"
#include "report/tests_view.hpp"

namespace headway::report {
namespace {

using verdict::BuildProblem;
using verdict::Exercise;
using verdict::State;

Place place_of(const Exercise& exercise, std::string submission) {
    while (submission.ends_with('/')) submission.pop_back();
    return {(submission.empty() ? "" : submission + "/") + exercise.name + "/"};
}

void show_headline(Page& page, const Exercise& exercise) {
    std::vector<Span> text = {{exercise.number + " " + exercise.title, Tone::strong}, {": "}, state_in_words(exercise)};
    if (exercise.reused) text.push_back({" (unchanged since the last run)", Tone::faint});
    page.entry(0, text, {points_text(exercise), Tone::strong});
}

}  // namespace

Span state_in_words(const Exercise& exercise) {
    switch (exercise.state) {
        case State::passed:
            return {"passed", Tone::good};
        case State::failed:
            return {"failed", Tone::bad};
        case State::partial:
            return {"partial", Tone::waiting};
        case State::not_started:
            return {"not started", Tone::faint};
        case State::unavailable:
            break;
    }
    return {"could not be graded", Tone::bad};
}

std::string points_text(const Exercise& exercise) {
    const std::string points = exercise.state == State::unavailable ? "-" : std::to_string(exercise.points);
    return fmt::format("{}{}/{}{}", points, no_break_space, no_break_space, exercise.max_points);
}

void show_exercise(Page& page, const Exercise& exercise, const std::string& submission, WhenPassed when_passed) {
    show_headline(page, exercise);
    if (!exercise.problem.empty()) {
        page.paragraphs({.indent = 2}, exercise.problem);
        page.paragraph({.indent = 2}, {{"No mark is given for it: this is not the submission's fault.", Tone::faint}});
    }
    if (exercise.build.problem != BuildProblem::none) {
        show_build_problem(page, exercise, place_of(exercise, submission));
    } else if (exercise.state == State::not_started) {
        // Ten failures would only say that nothing is written yet.
    } else if (exercise.state == State::passed && when_passed == WhenPassed::one_line && !page.style().verbose) {
        const std::size_t count = exercise.tests.size();
        const std::string text = count == 1 ? "its property holds" : fmt::format("all {} properties hold", count);
        page.paragraph({.indent = 2}, {{"✓ ", Tone::good}, {text}});
        show_remarks(page, exercise);
    } else {
        if (exercise.diagnosis) show_diagnosis(page, exercise, *exercise.diagnosis, is_the_students_own(submission));
        show_tests(page, exercise, place_of(exercise, submission));
    }
    show_warnings(page, exercise, place_of(exercise, submission));
}

}  // namespace headway::report
