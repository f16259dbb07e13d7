#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/exercise_view.hpp"
#include "report/failure_view.hpp"
#include "report/html_parts.hpp"
#include "report/more_errors.hpp"
#include "report/next_step.hpp"
#include "report/words.hpp"
#include "terminal/numbers.hpp"

namespace headway::report {
namespace {

using verdict::Exercise;
using verdict::Failure;
using verdict::Test;
using verdict::TestState;

std::string class_of(Tone tone) {
    switch (tone) {
        case Tone::good:
            return "good";
        case Tone::bad:
            return "bad";
        case Tone::waiting:
            return "waiting";
        default:
            return "faint";
    }
}

Span mark_of(const Test& test) {
    if (test.depends_on) return {"?", Tone::waiting};
    switch (test.state) {
        case TestState::passed:
            return {"✓", Tone::good};
        case TestState::failed:
            return {"✗", Tone::bad};
        case TestState::not_implemented:
            return {"○", Tone::waiting};
        case TestState::unavailable:
            break;
    }
    return {"?", Tone::waiting};
}

void write_numbers(Xml& page, const Failure& failure) {
    if (failure.worst) {
        const WorstInWords worst = in_words(*failure.worst);
        page.text("p", {}, worst.where + " " + worst.what);
    }
    if (failure.window) write_heatmaps(page, *failure.window);
    const bool shapes_differ = failure.yours && failure.expected && failure.yours->shape != failure.expected->shape;
    if (shapes_differ)
        page.text("p", {},
                  fmt::format("yours has shape {}, expected {}", shape_text(failure.yours->shape),
                              shape_text(failure.expected->shape)));
}

/// A sanitizer's report is told once, however many properties end by it.
void write_sanitizer(Xml& page, const Failure& failure, const Place& place, std::vector<const Failure*>& told) {
    if (!failure.sanitizer) return;
    const bool is_told = std::ranges::any_of(told, [&](const Failure* one) { return are_alike(*one, failure); });
    const verdict::SanitizerReport& report = *failure.sanitizer;
    page.text("p", {{"class", "bad"}},
              report.kind + (report.file.empty() ? "" : " at " + place.of(report.file, report.line)) +
                  (is_told ? ", as above" : ""));
    if (is_told) return;
    told.push_back(&failure);
    page.text("pre", {}, fmt::format("{}", fmt::join(report.first_lines, "\n")));
}

void write_failure(Xml& page, const Failure& failure, const Place& place, std::vector<const Failure*>& told) {
    const bool came_of_it = std::ranges::any_of(told, [&](const Failure* one) { return may_come_of(*one, failure); });
    page.text("p", {}, (came_of_it ? std::string(after_no_return) : "") + own_message_of(failure));
    if (failure.pattern) page.text("p", {}, *failure.pattern);
    if (failure.at) page.text("pre", {}, line_text(*failure.at, place.of(failure.at->file, 0)));
    if (failure.through) page.text("pre", {}, way_text(failure, place.of(failure.through->file, 0)));
    if (failure.advice) page.text("p", {}, *failure.advice);
    if (!failure.story.empty()) {
        page.text("p", {{"class", "faint"}}, "asked:");
        page.text("pre", {}, fmt::format("{}", fmt::join(failure.story, "\n")));
    }
    if (const std::string text = circumstances(failure); !text.empty()) page.text("p", {{"class", "faint"}}, text);
    write_numbers(page, failure);
    write_sanitizer(page, failure, place, told);
}

void write_output(Xml& page, const Test& test) {
    const std::string output = printed_by(test);
    if (output.empty()) return;
    page.open("details");
    page.text("summary", {}, test.output_truncated ? "your output (the rest is not kept)" : "your output");
    page.text("pre", {}, output);
    page.close();
}

void write_test(Xml& page, const Test& test, const Place& place, std::vector<const Failure*>& told) {
    const Span mark = mark_of(test);
    page.open("li");
    page.open("div", {{"class", "row"}});
    page.open("span");
    page.text("span", {{"class", class_of(mark.tone)}}, mark.text);
    page.words(property_of(test));
    page.close();
    if (test.max_points > 0)
        page.text("span", {{"class", "points"}}, fmt::format("{} / {}", test.points, test.max_points));
    page.close();
    if (test.state == TestState::not_implemented && test.failure) page.text("p", {{"class", "faint"}}, unwritten(test));
    if (was_not_asked(test) && test.failure->message.empty())
        page.text("p", {{"class", "faint"}}, "not asked any more");  // why is told by an earlier one
    else if (test.state == TestState::failed && test.failure && !test.depends_on)
        write_failure(page, *test.failure, place, told);
    if (test.remarks)
        for (const std::string& remark : *test.remarks) page.text("p", {{"class", "faint"}}, remark);
    write_output(page, test);
    page.close();
}

/// Lines that were never run are where a mistake can hide, or code that nothing needs.
void write_coverage(Xml& page, const Exercise& exercise) {
    for (const verdict::Coverage& coverage : exercise.coverage) {
        page.open("details");
        page.text("summary", {},
                  fmt::format("The hidden tests ran {} of {} lines of {}", coverage.reached_lines, coverage.all_lines,
                              coverage.file));
        std::string lines;
        for (const verdict::MissedLine& missed : coverage.missed)
            lines += fmt::format("{:>4}  {}\n", missed.line, missed.text);
        if (!lines.empty()) {
            page.text("p", {{"class", "faint"}}, "These they did not:");
            page.text("pre", {}, lines);
        }
        page.close();
    }
}

void write_message(Xml& page, const verdict::CompilerMessage& message, const Place& place) {
    page.text("p", {}, place.of(message.at.file, message.at.line, message.column) + ": " + message.text);
    std::string source = message.at.text;
    std::ranges::replace(source, '\t', ' ');  // the marks take one column for it
    page.text("pre", {}, source + "\n" + message.marks);
    if (!message.advice.empty()) page.text("p", {}, message.advice);
    for (const std::string& note : message.notes) page.text("p", {{"class", "faint"}}, note);
}

void write_warnings(Xml& page, const Exercise& exercise, const Place& place) {
    if (!exercise.build.warnings || exercise.build.warnings->empty()) return;
    page.open("details");
    page.text("summary", {}, std::string(warnings_headline));
    for (const verdict::CompilerMessage& warning : *exercise.build.warnings) write_message(page, warning, place);
    page.close();
}

void write_diagnostics(Xml& page, const std::string& diagnostics) {
    if (diagnostics.empty()) return;
    page.open("details");
    page.text("summary", {}, "all that the compiler said");
    page.text("pre", {}, diagnostics);
    page.close();
}

void write_build_problem(Xml& page, const Exercise& exercise, const Place& place) {
    const verdict::Compilation& build = exercise.build;
    if (build.problem == verdict::BuildProblem::none) return;
    page.text("p", {{"class", "bad"}}, problem_in_words(build.problem));
    if (build.errors && !build.errors->empty()) {
        write_message(page, build.errors->front(), place);
        if (build.errors->size() > 1) page.text("p", {{"class", "faint"}}, more_errors_in_words(*build.errors, place));
        write_diagnostics(page, build.diagnostics);
        return;
    }
    page.text("p", {}, build.message);
    if (!build.file.empty()) page.text("p", {}, place.of(build.file, build.line, build.column));
    if (!build.diagnostics.empty()) page.text("pre", {}, build.diagnostics);
}

}  // namespace

void write_exercise(Xml& page, const Exercise& exercise, const std::string& submission) {
    const Place place{submission + "/" + exercise.name + "/"};
    const Span state = state_in_words(exercise);
    page.open("section", {{"id", "exercise-" + exercise.number}});
    page.open("h2");
    page.open("span");
    page.words(fmt::format("{} {}:", exercise.number, exercise.title));
    page.text("span", {{"class", class_of(state.tone)}}, state.text);
    page.close();
    page.text("span", {{"class", "points"}}, points_text(exercise));
    page.close();
    if (!exercise.problem.empty()) page.text("p", {}, exercise.problem);
    write_build_problem(page, exercise, place);
    if (exercise.state != verdict::State::not_started) {
        write_diagnosis(page, exercise);
        write_stages(page, exercise);
        page.open("ul", {{"class", "tests"}});
        std::vector<const Failure*> told;
        for (const TestState order :
             {TestState::failed, TestState::unavailable, TestState::not_implemented, TestState::passed})
            for (const Test& test : exercise.tests)
                if (test.state == order) write_test(page, test, place, told);
        page.close();
    }
    write_warnings(page, exercise, place);
    write_coverage(page, exercise);
    if (exercise.state != verdict::State::passed) {
        const NextStep next = next_step({exercise}, submission);
        page.open("p", {{"class", "next"}});
        page.words("How to go on: ");
        page.text("kbd", {}, next.command);
        page.words(" " + next.purpose);
        page.close();
    }
    page.close();
}

}  // namespace headway::report
