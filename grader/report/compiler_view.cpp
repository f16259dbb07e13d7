#include "report/compiler_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "report/more_errors.hpp"
#include "report/words.hpp"

namespace headway::report {
namespace {

using verdict::CompilerMessage;

constexpr std::size_t most_warnings = 5;

void show_message(Page& page, std::size_t indent, const CompilerMessage& message, const Place& place, Tone tone) {
    page.place(indent, {place.of(message.at.file, message.at.line, message.column), Tone::strong});
    page.told({.indent = indent, .hanging = 2, .most_lines = 3}, {{message.text}});
    page.source(indent, message.at.text, message.marks, tone);
    if (!message.advice.empty())
        page.paragraph({.indent = indent, .hanging = 2, .most_lines = 6}, {{"▸ ", tone}, {message.advice}});
    for (const std::string& note : message.notes)
        page.paragraph({.indent = indent, .hanging = 2, .most_lines = 3}, {{note, Tone::faint}});
}

/// The line of a call that failed, where the compiler's warning is of that line or the one before or after, and the
/// course knows what such a warning means.
const verdict::SourceLine* failure_beside(const verdict::Exercise& exercise, const CompilerMessage& warning) {
    if (warning.advice.empty()) return nullptr;
    for (const verdict::Test& test : exercise.tests)
        if (test.state == verdict::TestState::failed && test.failure && test.failure->at &&
            verdict::ends_the_program(test.failure->kind) && test.failure->at->file == warning.at.file &&
            std::abs(test.failure->at->line - warning.at.line) <= 1)
            return &*test.failure->at;
    return nullptr;
}

}  // namespace

void show_errors(Page& page, std::size_t indent, const std::vector<CompilerMessage>& errors, const Place& place) {
    if (errors.empty()) return;
    show_message(page, indent, errors.front(), place, Tone::bad);
    if (errors.size() == 1) return;
    if (!page.style().verbose) page.note_cut();
    page.paragraph({.indent = indent, .hanging = 2, .most_lines = 8},
                   {{more_errors_in_words(errors, place), Tone::faint}});
}

void show_warnings(Page& page, const verdict::Exercise& exercise, const Place& place) {
    const verdict::Compilation& build = exercise.build;
    if (!build.warnings || build.warnings->empty()) return;
    const std::size_t count = build.warnings->size();
    const std::size_t shown = page.style().verbose ? count : std::min(count, most_warnings);
    page.blank();
    page.paragraph({.indent = 2, .hanging = 2}, {{std::string(warnings_headline)}});
    std::vector<const CompilerMessage*> warnings;
    for (const CompilerMessage& warning : *build.warnings) warnings.push_back(&warning);
    std::stable_partition(warnings.begin(), warnings.end(),
                          [&](const CompilerMessage* one) { return failure_beside(exercise, *one) != nullptr; });
    for (std::size_t i = 0; i < shown; ++i) {
        show_message(page, 4, *warnings[i], place, Tone::waiting);
        if (const auto* at = failure_beside(exercise, *warnings[i]))
            page.paragraph(
                {.indent = 4, .hanging = 2},
                {{"▸ ", Tone::bad}, {fmt::format("a call fails right there, at {}:{}", at->file, at->line)}});
    }
    if (shown == count) return;
    page.note_cut();
    page.line(4, {{"… " + counted(count - shown, "more warning"), Tone::faint}});
}

}  // namespace headway::report
