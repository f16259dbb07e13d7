#include "report/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "report/exercise_view.hpp"
#include "report/next_step.hpp"
#include "terminal/page.hpp"

namespace headway::report {
namespace {

using verdict::Exercise;
using verdict::State;
using verdict::Verdict;

/// "2 passed, 1 partial"
std::string states_text(const std::vector<Exercise>& exercises) {
    constexpr std::array in_order = {State::passed, State::partial, State::failed, State::not_started,
                                     State::unavailable};
    std::vector<std::string> parts;
    for (const State state : in_order) {
        const auto count = std::ranges::count(exercises, state, &Exercise::state);
        if (count == 0) continue;
        Exercise one;
        one.state = state;
        parts.push_back(fmt::format("{} {}", count, state_in_words(one).text));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// Who grades must be able to see what a machine does not protect against; who learns need not read it in full.
void show_protections(Page& page, const Verdict& verdict) {
    const auto holds = [](const auto& entry) { return entry.second == "enforced"; };
    const auto missing =
        verdict.protections.size() - static_cast<std::size_t>(std::ranges::count_if(verdict.protections, holds));
    if (missing == 0) return;
    if (!page.style().verbose) {
        page.note_cut();
        const char* jail = verdict.protections.contains("jail") ? "weaker jail: " : "";
        const std::string text = fmt::format("{}{} of {} not fully enforced on this machine", jail, missing,
                                             counted(verdict.protections.size(), "protection"));
        page.paragraph({.hanging = 2}, {{text, Tone::faint}});
        return;
    }
    for (const auto& [name, state] : verdict.protections) {
        page.paragraph({.hanging = 2}, {{name + ": " + state, Tone::faint}});
    }
}

void show_circumstances(Page& page, const Verdict& verdict) {
    if (!page.style().verbose) return;
    std::string tools;
    for (const auto& [tool, version] : verdict.toolchain) tools += fmt::format(", {} {}", tool, version);
    page.paragraph({.hanging = 2},
                   {{(verdict.seed ? fmt::format("seed {}", *verdict.seed) : "a secret seed") + tools, Tone::faint}});
}

void show_summary(Page& page, const Verdict& verdict) {
    int points = 0;
    int max_points = 0;
    for (const Exercise& exercise : verdict.exercises) {
        // No mark is given where the machine is at fault, so none is missing either.
        if (exercise.state == State::unavailable) continue;
        points += exercise.points;
        max_points += exercise.max_points;
    }
    const std::string states = states_text(verdict.exercises);
    const std::string mark = max_points > 0 ? fmt::format("{} of {} points", points, max_points) : "no points";
    page.entry(0, {{mark, Tone::strong}, {": " + states}},
               {fmt::format("{:.1f}{}s", verdict.seconds, no_break_space), Tone::faint});
}

/// For "what was left out": the failed exercise if there is one, else whatever was graded.
std::string verbose_command(const Verdict& verdict) {
    const auto interesting = std::ranges::find_if(
        verdict.exercises, [](const Exercise& e) { return e.state == State::failed || e.state == State::partial; });
    const Exercise& shown = interesting == verdict.exercises.end() ? verdict.exercises.front() : *interesting;
    return grade_command(shown, verdict.submission) + " --verbose";
}

}  // namespace

std::string render(const Verdict& verdict, const TerminalStyle& style, const std::vector<Exercise>& course) {
    Page page(style);
    if (verdict.exercises.empty()) {
        page.paragraph({}, {{"Nothing was graded. Name an exercise that exists, such as ./headway grade 01"}});
        return page.take();
    }
    const WhenPassed when_passed = verdict.exercises.size() == 1 ? WhenPassed::list_properties : WhenPassed::one_line;
    bool spacious = false;
    for (const Exercise& exercise : verdict.exercises) {
        // Headlines alone stand close together.
        const bool has_details =
            exercise.state != State::not_started || exercise.build.problem != verdict::BuildProblem::none;
        if (spacious || has_details) page.blank();
        show_exercise(page, exercise, verdict.submission, when_passed);
        spacious = has_details;
    }
    page.rule();
    show_summary(page, verdict);
    show_circumstances(page, verdict);
    show_protections(page, verdict);
    if (page.has_cut()) {
        page.paragraph({.hanging = 2}, {{"more detail: " + verbose_command(verdict), Tone::faint}});
    }
    const bool all_pass =
        std::ranges::all_of(verdict.exercises, [](const Exercise& e) { return e.state == State::passed; });
    if (all_pass && !course.empty() && is_the_students_own(verdict.submission))
        show_next_step(page, course, "");
    else
        show_next_step(page, verdict.exercises, verdict.submission);
    return page.take();
}

}  // namespace headway::report
