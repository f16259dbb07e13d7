#include "report/loud.hpp"

#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace headway::report {

using verdict::Failure;
using verdict::FailureKind;
using verdict::FunctionDiagnosis;

namespace {

/// Where it should have refused, that it answers nowhere is said instead.
bool says_what_it_threw(const Failure& failure) {
    return failure.kind != FailureKind::exception || failure.message.find(" threw ") != std::string::npos;
}

/// Whether some failure of this function does.
bool says_what_it_threw(const verdict::Exercise& exercise, const std::string& function) {
    return std::ranges::any_of(exercise.tests, [&](const verdict::Test& test) {
        return test.failure && test.failure->function == function &&
               test.failure->message.find(" threw ") != std::string::npos;
    });
}

/// "your f threw std::invalid_argument: why": what it says is worth more than the exception's type.
std::string headline_of(const Failure& failure) {
    std::string text = own_message_of(failure);
    if (text.starts_with("your ")) text.erase(0, std::string_view("your ").size());
    if (failure.at) {  // which follows, with what stands there
        const std::string where = fmt::format(" at {}:{}", failure.at->file, failure.at->line);
        if (text.ends_with(where)) text.erase(text.size() - where.size());
    }
    const std::string threw = failure.function + " threw ";
    if (failure.kind != FailureKind::exception || !text.starts_with(threw)) return text;
    const std::string what = text.substr(threw.size());
    const std::size_t colon = what.find(": ");
    if (colon == std::string::npos) return threw + "where it should answer (" + what + ")";
    return threw + "where it should answer: " + what.substr(colon + 2) + " (" + what.substr(0, colon) + ")";
}

}  // namespace

bool is_loud(FailureKind kind) {
    switch (kind) {
        case FailureKind::exception:
        case FailureKind::crash:
        case FailureKind::exit:
        case FailureKind::timeout:
        case FailureKind::memory:
        case FailureKind::output_flood:
        case FailureKind::sanitizer:
            return true;
        case FailureKind::wrong_value:
        case FailureKind::wrong_shape:
        case FailureKind::wrong_behaviour:
        case FailureKind::protocol:
            return false;
    }
    return false;
}

std::optional<LoudFailure> loud_failure(const verdict::Exercise& exercise, const std::string& function) {
    std::optional<LoudFailure> loud;
    bool always = true;
    for (const verdict::Test& test : exercise.tests) {
        if (test.state != verdict::TestState::failed || !test.failure || test.failure->function != function) continue;
        const Failure& failure = *test.failure;
        if (!is_loud(failure.kind)) always = false;
        if (!is_loud(failure.kind) || test.depends_on == function) continue;  // that shows nothing by itself
        if (!says_what_it_threw(failure) && (loud || says_what_it_threw(exercise, function))) continue;
        if (loud && says_what_it_threw(*loud->failure)) continue;
        loud = {.failure = &failure,
                .headline = headline_of(failure),
                .where = failure.at ? line_text(*failure.at, failure.at->file) : "",
                .way = failure.through ? way_text(failure, failure.through->file) : "",
                .advice = failure.advice.value_or(""),
                .asked = failure.story.empty() ? "" : failure.story.back()};
    }
    if (loud) loud->always = always;
    return loud;
}

std::optional<LoudFailure> throw_behind(const verdict::Exercise& exercise, const verdict::NamedMistake& mistake) {
    if (mistake.id != "refuses_what_fits" || mistake.functions.empty()) return std::nullopt;
    auto loud = loud_failure(exercise, mistake.functions.front());
    const bool threw = loud && loud->failure->kind == FailureKind::exception && says_what_it_threw(*loud->failure);
    return threw ? loud : std::nullopt;
}

std::optional<verdict::SourceLine> memory_read_too_early(const verdict::Exercise& exercise,
                                                         const verdict::NamedMistake& mistake) {
    if (mistake.id != "uninitialised_memory" || !exercise.diagnosis || mistake.functions.empty()) return std::nullopt;
    const FunctionDiagnosis* first = diagnosis_of(*exercise.diagnosis, mistake.functions.front());
    return first == nullptr ? std::nullopt : first->at;
}

namespace {

/// What the compiler warned of within a function, in the course's words; empty if it has none.
std::string warned_within(const verdict::Exercise& exercise, const std::string& function) {
    if (!exercise.places || !exercise.build.warnings) return "";
    const auto place = std::ranges::find(*exercise.places, function, &verdict::FunctionPlace::function);
    if (place == exercise.places->end()) return "";
    const auto is_within = [&](const verdict::SourceLine& at) {
        if (at.file != place->at.file || at.line < place->at.line) return false;
        return std::ranges::none_of(*exercise.places, [&](const verdict::FunctionPlace& later) {
            return later.at.file == at.file && later.at.line > place->at.line && later.at.line <= at.line;
        });
    };
    for (const verdict::CompilerMessage& warning : *exercise.build.warnings)
        if (is_within(warning.at) && !warning.advice.empty())
            return fmt::format("{}:{}: {}", warning.at.file, warning.at.line, warning.advice);
    return "";
}

}  // namespace

std::vector<std::string> stopped_at(const verdict::Exercise& exercise, const verdict::NamedMistake& mistake) {
    const FunctionDiagnosis* first = exercise.diagnosis && !mistake.functions.empty()
                                         ? diagnosis_of(*exercise.diagnosis, mistake.functions.front())
                                         : nullptr;
    if (const auto line = memory_read_too_early(exercise, mistake)) return {line_text(*line, line->file)};
    if (first == nullptr) return {};
    const auto loud = loud_failure(exercise, first->function);
    // Of refusals also, where the numbers tell of it as well.
    const bool is_of_a_refusal = mistake.title.find("refuse") != std::string::npos;
    if (first->inputs > 0 && !is_of_a_refusal) return {};
    std::vector<std::string> lines;
    const bool tells_of_its_loop = mistake.id == "never_ends" || mistake.id == "waits_without_end";
    const bool ended = loud && (verdict::ends_the_program(loud->failure->kind) ||
                                (is_of_a_refusal && loud->failure->kind == FailureKind::exception));
    if (ended && !loud->where.empty())
        lines = {loud->where, loud->way, tells_of_its_loop ? "" : loud->advice};
    else if (first->inputs == 0)
        lines = {warned_within(exercise, first->function)};
    std::erase(lines, "");
    return lines;
}

}  // namespace headway::report
