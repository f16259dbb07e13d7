#include "report/warning_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace headway::report {
namespace {

using verdict::CompilerMessage;
using verdict::SourceLine;

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Of the functions whose places are known, the last one that begins before the line; nullptr if there is none.
const verdict::FunctionPlace* function_of(const verdict::Exercise& exercise, const SourceLine& at) {
    const verdict::FunctionPlace* found = nullptr;
    if (!exercise.places) return found;
    for (const verdict::FunctionPlace& place : *exercise.places)
        if (place.at.file == at.file && place.at.line <= at.line &&
            (found == nullptr || place.at.line > found->at.line))
            found = &place;
    return found;
}

/// Of a comparison that is always true: its loop runs on until something stops it.
bool is_of_an_endless_loop(const CompilerMessage& warning) {
    return says(warning.text, "of unsigned expression") && says(warning.text, "always true");
}

bool is_beside(const verdict::Exercise& exercise, const CompilerMessage& warning, const SourceLine& at) {
    if (warning.at.file != at.file) return false;
    if (std::abs(warning.at.line - at.line) <= 1) return true;
    const verdict::FunctionPlace* function = function_of(exercise, at);
    return is_of_an_endless_loop(warning) && warning.at.line < at.line && function != nullptr &&
           function == function_of(exercise, warning.at);
}

bool ended_beside(const verdict::Exercise& exercise, const CompilerMessage& warning,
                  const verdict::NamedMistake& mistake) {
    return std::ranges::any_of(exercise.tests, [&](const verdict::Test& test) {
        return test.state == verdict::TestState::failed && test.failure && test.failure->at &&
               verdict::ends_the_program(test.failure->kind) &&
               std::ranges::count(mistake.functions, test.failure->function) > 0 &&
               (is_beside(exercise, warning, *test.failure->at) ||
                (test.failure->through && is_beside(exercise, warning, *test.failure->through)));
    });
}

bool is_of_a_generators_order(const CompilerMessage& warning) {
    const std::string all = warning.text + warning.at.text;
    return says(warning.text, "will be initialized after") && (says(all, "andom") || says(all, "rng"));
}

}  // namespace

std::string warning_beside(const verdict::Exercise& exercise, const verdict::NamedMistake& mistake) {
    if (!exercise.build.warnings) return "";
    for (const CompilerMessage& warning : *exercise.build.warnings)
        if (!warning.advice.empty() && (ended_beside(exercise, warning, mistake) ||
                                        (mistake.id == "seed_ignored" && is_of_a_generators_order(warning))))
            return fmt::format("the compiler warns at {}:{}: {}", warning.at.file, warning.at.line, warning.advice);
    return "";
}

}  // namespace headway::report
