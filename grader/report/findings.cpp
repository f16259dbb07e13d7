#include "report/findings.hpp"

#include "report/loud.hpp"
#include "report/words.hpp"
#include "verdict/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace headway::report {
namespace {

using verdict::Exercise;
using verdict::NamedMistake;
using verdict::SourceLine;
using verdict::Test;

/// "03_scaled_scores" -> "scaled_scores.cpp"
std::string main_file(const Exercise& exercise) { return exercise.name.substr(exercise.name.find('_') + 1) + ".cpp"; }

/// A #line directive may name any file, and system's files have relative names too.
bool is_in_the_exercise(const std::string& file) {
    const std::filesystem::path path(file);
    return !path.empty() && path.is_relative() && std::ranges::find(path, "..") == path.end();
}

/// @param at  if nothing is known, or if it lies elsewhere: the main file, without a line
Location location_in(const Exercise& exercise, const std::optional<SourceLine>& at) {
    if (!at || !is_in_the_exercise(at->file)) return {main_file(exercise)};
    return {at->file, at->line > 0 ? std::optional(at->line) : std::nullopt};
}

/// Those of one exercise.
class Places {
public:
    explicit Places(const Exercise& exercise) : exercise_(exercise) {}

    /// @param at  the beginning of the main file if nothing is known, or if it lies elsewhere
    void add(const std::optional<SourceLine>& at, const std::string& title, const std::string& message) {
        const Location location = location_in(exercise_, at);
        const std::string& file = location.file;
        const int line = location.line.value_or(1);
        const auto same =
            std::ranges::find_if(found_, [&](const Finding& one) { return one.file == file && one.line == line; });
        if (same == found_.end())
            found_.push_back({exercise_.name, file, line, exercise_.number + " " + title, message});
        else
            same->message += "\n" + message;
    }

    std::vector<Finding> take() { return std::move(found_); }

private:
    const Exercise& exercise_;
    std::vector<Finding> found_;
};

void add_build(Places& places, const verdict::Compilation& build) {
    if (build.problem == verdict::BuildProblem::none) return;
    places.add(SourceLine{build.file, build.line, ""}, "does not build", build.message);
    for (const verdict::CompilerMessage& error : build.errors.value_or(std::vector<verdict::CompilerMessage>{}))
        if (error.at.file != build.file || error.at.line != build.line)
            places.add(error.at, "does not build", error.text + (error.advice.empty() ? "" : ". " + error.advice));
}

void add_mistake(Places& places, const Exercise& exercise, const NamedMistake& mistake) {
    std::optional<SourceLine> at = memory_read_too_early(exercise, mistake);
    for (const std::string& function : mistake.functions)
        if (!at) at = definition_of(exercise, function);
    places.add(at, exercise.title,
               fmt::format("{}: {}{}", mistake.title, mistake.right,
                           mistake.lesson.empty() ? "" : " (" + mistake.lesson + ")"));
}

std::optional<SourceLine> place_of(const Exercise& exercise, const verdict::Failure& failure) {
    if (failure.at) return failure.at;
    if (failure.sanitizer && failure.sanitizer->line > 0 && is_in_the_exercise(failure.sanitizer->file))
        return SourceLine{failure.sanitizer->file, failure.sanitizer->line, ""};
    return definition_of(exercise, failure.function);
}

void add_test(Places& places, const Exercise& exercise, const Test& test) {
    if (test.state != verdict::TestState::failed || test.depends_on) return;
    std::string message = test.property;
    if (test.failure && !test.failure->message.empty()) message += ": " + test.failure->message;
    places.add(test.failure ? place_of(exercise, *test.failure) : std::nullopt, exercise.title, message);
}

/// Whether all that is known of it is that a test failed.
bool has_a_cause(const Exercise& exercise) {
    return exercise.build.problem != verdict::BuildProblem::none ||
           (exercise.diagnosis && !exercise.diagnosis->mistakes.empty());
}

std::vector<Finding> findings_in(const Exercise& exercise) {
    Places places(exercise);
    add_build(places, exercise.build);
    if (exercise.diagnosis)
        for (const NamedMistake& mistake : exercise.diagnosis->mistakes) add_mistake(places, exercise, mistake);
    for (const Test& test : exercise.tests) add_test(places, exercise, test);
    return places.take();
}

}  // namespace

std::vector<Finding> findings(const verdict::Verdict& verdict) {
    std::vector<Finding> first;
    std::vector<Finding> others;
    for (const Exercise& exercise : verdict.exercises)
        for (Finding& finding : findings_in(exercise)) {
            const bool is_first = has_a_cause(exercise) && (first.empty() || first.back().exercise != exercise.name);
            (is_first ? first : others).push_back(std::move(finding));
        }
    std::ranges::move(others, std::back_inserter(first));
    return first;
}

Location location_of(const Exercise& exercise, const Test& test) {
    return location_in(exercise, test.failure ? place_of(exercise, *test.failure) : std::nullopt);
}

Location location_of(const Exercise& exercise, const verdict::Compilation& build) {
    return location_in(exercise, SourceLine{build.file, build.line, ""});
}

}  // namespace headway::report
