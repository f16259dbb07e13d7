#include "report/next_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "report/words.hpp"
#include "terminal/shell_words.hpp"

namespace headway::report {
namespace {

using verdict::BuildProblem;
using verdict::Exercise;
using verdict::State;
using verdict::Test;
using verdict::TestState;

NextStep step_for_tests(const Exercise& exercise) {
    const auto failed = std::ranges::find_if(
        exercise.tests, [](const Test& test) { return test.state == TestState::failed && !test.depends_on; });
    if (failed == exercise.tests.end()) return {"./headway lesson " + exercise.number, "what is still to be written"};
    if (failed->failure && failed->failure->kind == verdict::FailureKind::timeout)
        return {"./headway debug " + exercise.number, "the call that does not end; Ctrl-C stops it where it is"};
    // Seen best by running the code oneself, where a debugger can hold it.
    if (failed->failure && is_loud(failed->failure->kind)) {
        return {"./headway try " + exercise.number, "run it yourself, under a debugger if you like"};
    }
    return {"./headway hint " + exercise.number, failed->property};
}

/// The key, or what else one does on the screen of `watch`.
NextStep on_screen(NextStep step) {
    if (step.command == "./headway") return {"n", "the next exercise"};
    if (step.command.starts_with("./headway hint ")) return {"h", "a hint: " + step.purpose};
    if (step.command.starts_with("./headway lesson ")) return {"l", step.purpose};
    if (step.command.starts_with("./headway grade ")) return {"save the file", step.purpose};
    return step;
}

std::optional<NextStep> step_for_who_grades(const std::vector<Exercise>& exercises, const std::string& submission) {
    if (std::ranges::any_of(exercises, [](const Exercise& e) { return e.state == State::unavailable; }))
        return NextStep{"./headway doctor", "what this machine lacks"};
    const auto shown = std::ranges::find_if(
        exercises, [](const Exercise& e) { return e.state == State::failed || e.state == State::partial; });
    if (shown == exercises.end()) return std::nullopt;
    return NextStep{grade_command(*shown, submission) + " --html page.html", "the same as a page, to hand back"};
}

}  // namespace

bool is_the_students_own(std::string_view submission) {
    while (submission.ends_with('/')) submission.remove_suffix(1);
    return submission.empty() || submission == "exercises" || submission.ends_with("/exercises");
}

bool is_not_graded(const Exercise& exercise) {
    return exercise.state == State::unavailable && exercise.problem.empty() && exercise.tests.empty() &&
           exercise.build.problem == BuildProblem::none;
}

bool are_untouched(const std::vector<Exercise>& exercises) {
    return std::ranges::all_of(exercises,
                               [](const Exercise& e) { return is_not_graded(e) || e.state == State::not_started; });
}

std::string grade_command(const Exercise& exercise, const std::string& submission) {
    const std::string command = "./headway grade " + exercise.number;
    return is_the_students_own(submission) ? command : command + " --submission " + shell_word(submission);
}

NextStep next_step(const std::vector<Exercise>& exercises, const std::string& submission) {
    const auto next = std::ranges::find_if(exercises, [](const Exercise& e) { return e.state != State::passed; });
    if (next == exercises.end()) return {"./headway", "where you are in the course"};
    if (next->number == "01" && exercises.size() > 1 && are_untouched(exercises))
        return {"./headway lesson 00",
                "what attention is for, in ten minutes; then " + grade_command(*next, submission)};
    if (is_not_graded(*next))
        return {"./headway lesson " + next->number, "read, write, then " + grade_command(*next, submission)};
    if (next->state == State::unavailable) return {"./headway doctor", "what this machine lacks"};
    if (next->state == State::not_started)
        return {"./headway lesson " + next->number, "how to begin with " + next->title};
    if (next->build.problem != BuildProblem::none) return {grade_command(*next, submission), "when you have fixed it"};
    return step_for_tests(*next);
}

void show_next_step(Page& page, const std::vector<Exercise>& exercises, const std::string& submission) {
    auto next =
        is_the_students_own(submission) ? next_step(exercises, submission) : step_for_who_grades(exercises, submission);
    if (!next) return;
    if (page.style().has_keys) next = on_screen(*next);
    const std::string purpose = next->purpose.empty() ? "" : "   (" + next->purpose + ")";
    page.paragraph({.hanging = 6}, {{"next: "}, {next->command, Tone::strong}, {purpose, Tone::faint}});
}

}  // namespace headway::report
