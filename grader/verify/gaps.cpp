#include "verify/gaps.hpp"

#include "verify/contradictions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace headway::cli {

using verdict::State;

namespace {

std::string failed_properties(const verdict::Exercise& exercise) {
    std::string text;
    for (const verdict::Test& test : exercise.tests)
        if (test.state != verdict::TestState::passed)
            text += fmt::format("{}{}{}", text.empty() ? "" : "; ", test.property,
                                test.failure ? " (" + test.failure->message + ")" : "");
    if (!exercise.tests.empty())
        for (const std::string& words : exercise.tests.front().remarks.value_or(std::vector<std::string>{}))
            text += "; " + words;  // of the whole submission
    return text.empty() ? exercise.build.message + exercise.problem : text;
}

}  // namespace

std::string gap_of(const Specimen& specimen) {
    const verdict::Exercise& exercise = specimen.verdict;
    const bool built = exercise.build.problem == verdict::BuildProblem::none;
    switch (specimen.kind) {
        case Kind::stub:
            return exercise.state == State::not_started ? ""
                                                        : "the stub is " + to_string(exercise.state) +
                                                              ", not not_started: " + failed_properties(exercise);
        case Kind::solution:
        case Kind::accepted:
            if (exercise.state != State::passed) return "does not pass: " + failed_properties(exercise);
            for (const Answered& answered : specimen.shown.answers)
                if (!answered.is_right) return "passes, but not for the diagnosis: " + answered.words;
            return "";
        case Kind::mutant:
            if (exercise.state == State::passed) return "passes, although it is wrong";
            if (exercise.state != State::failed)
                return "is " + to_string(exercise.state) + ": " + failed_properties(exercise);
            if (!built) return "was meant to be built: " + exercise.build.message;
            if (!specimen.named_as_expected())
                return fmt::format("is diagnosed as [{}]{}, not as [{}]{}; what failed: {}",
                                   fmt::join(specimen.named(), ", "), specimen.explains_all() ? "" : " and more",
                                   fmt::join(specimen.mutant.diagnosis, ", "),
                                   specimen.mutant.explains_all() ? "" : " and more", failed_properties(exercise));
            if (std::string both = contradiction_in(exercise); !both.empty()) return both;
            if (specimen.cost() > most_points_per_mistake && specimen.mutant.reason_for_cost.empty())
                return fmt::format("costs {} of {} points without a written reason", specimen.cost(),
                                   exercise.max_points);
            return "";
    }
    return "";
}

}  // namespace headway::cli
