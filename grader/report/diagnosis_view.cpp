#include "report/diagnosis_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/besides.hpp"
#include "report/failure_view.hpp"
#include "report/loud.hpp"
#include "report/warning_beside.hpp"
#include "report/words.hpp"

namespace headway::report {
namespace {

using verdict::Diagnosis;
using verdict::FunctionDiagnosis;
using verdict::FunctionState;
using verdict::NamedMistake;

constexpr std::size_t title_indent = 2;
constexpr std::size_t detail_indent = 6;
constexpr std::size_t most_sources = 2;

/// The line, what to change in it, and the call.
void show_place(Page& page, const LoudFailure& loud) {
    const Page::Paragraph detail = {
        .indent = detail_indent, .hanging = 2, .most_lines = page.style().verbose ? unlimited : 4};
    for (const std::string& line : {loud.where, loud.way})
        if (!line.empty()) page.told(detail, {{line}});
    Page::Paragraph advice = detail;
    advice.most_lines = std::max<std::size_t>(detail.most_lines, 8);
    if (!loud.advice.empty()) page.paragraph(advice, {{loud.advice}});
    if (!loud.asked.empty()) page.paragraph(detail, {{"asked: ", Tone::faint}, {loud.asked}});
}

void show_loud(Page& page, const LoudFailure& loud, const FunctionDiagnosis& function) {
    page.told({.indent = title_indent, .hanging = 2}, {{"▸ ", Tone::bad}, {loud.headline, Tone::strong}});
    if (loud.failure->pattern) page.paragraph({.indent = detail_indent, .hanging = 2}, {{*loud.failure->pattern}});
    show_place(page, loud);
    const std::string condition = loud.always && !loud.failure->pattern ? condition_of(function, *loud.failure) : "";
    if (!condition.empty())
        page.paragraph({.indent = detail_indent, .hanging = 2}, {{"seen: ", Tone::faint}, {condition}});
}

/// How earlier functions failed: another one that only leads to the same line fails there, too.
using Told = std::vector<const verdict::Failure*>;

bool is_told(const Told& told, const verdict::Failure& failure) {
    return failure.at &&
           std::ranges::any_of(told, [&](const verdict::Failure* earlier) { return are_alike(*earlier, failure); });
}

/// "decode fails at positions.cpp:110, too"
std::string fails_there_as_well(const std::string& function, const char* how, const verdict::SourceLine& at) {
    return fmt::format("{} {} at {}:{}, too", function, how, at.file, at.line);
}

/// What throws where an earlier mistake was told to: only which function does, and how it gets there.
void show_at_that_line(Page& page, const NamedMistake& mistake, const LoudFailure& thrown) {
    page.paragraph({.indent = title_indent, .hanging = 2},
                   {{"▸ ", Tone::bad},
                    {fails_there_as_well(mistake.functions.front(), "throws", *thrown.failure->at), Tone::strong}});
    const Page::Paragraph detail = {.indent = detail_indent, .hanging = 2};
    if (!thrown.way.empty()) page.paragraph(detail, {{thrown.way}});
    if (!thrown.asked.empty()) page.paragraph(detail, {{"asked: ", Tone::faint}, {thrown.asked}});
}

void show_mistake(Page& page, const verdict::Exercise& exercise, const Diagnosis& diagnosis,
                  const NamedMistake& mistake, bool with_hints, Told& thrown_before) {
    const Page::Paragraph detail = {.indent = detail_indent, .hanging = 2};
    // What it threw, and where, is worth more than for which sizes.
    const auto thrown = throw_behind(exercise, mistake);
    if (thrown && mistake.functions.size() == 1 && is_told(thrown_before, *thrown->failure))
        return show_at_that_line(page, mistake, *thrown);
    if (thrown) thrown_before.push_back(thrown->failure);
    const std::string& title = thrown ? thrown->headline : mistake.title;
    page.told({.indent = title_indent, .hanging = 2}, {{"▸ ", Tone::bad}, {title, Tone::strong}});
    if (const auto at = definition_of(exercise, mistake.functions.front());
        page.style().read_by_editor && at && !thrown)
        page.place(detail_indent, {"in " + at->file + ":" + std::to_string(at->line)});
    if (thrown) show_place(page, *thrown);
    for (const std::string& other : mistake.also_known_as)
        page.paragraph(detail, {{"or (same numbers): ", Tone::faint}, {other}});
    page.paragraph(detail, {{"right: ", Tone::faint}, {mistake.right}});
    page.paragraph(detail, {{"in ", Tone::faint}, {functions_of(diagnosis, mistake, Whose::their_own)}});
    if (const std::string others = functions_of(diagnosis, mistake, Whose::of_earlier_ones); !others.empty())
        page.paragraph(detail, {{"right given your own earlier functions: ", Tone::faint}, {others}});
    if (const std::string others = functions_of(diagnosis, mistake, Whose::inherited); !others.empty())
        page.paragraph(detail, {{"from your own earlier functions, in ", Tone::faint}, {others}});
    const FunctionDiagnosis* first = diagnosis_of(diagnosis, mistake.functions.front());
    if (first != nullptr) {
        if (first->inputs > 0 && !is_contradicted(exercise, *first))
            page.paragraph(detail, {{evidence(*first), Tone::faint}});
        for (const std::string& sentence : first->sentences)
            if (first->inputs == 0 && sentence != title)
                page.paragraph(detail, {{is_remedy(sentence) ? "" : "seen: ", Tone::faint}, {sentence}});
    }
    for (const std::string& words : besides_of(diagnosis, mistake))
        page.paragraph(detail, {{"besides: ", Tone::faint}, {words}});
    for (const std::string& line : stopped_at(exercise, mistake)) page.told(detail, {{line}});
    if (const std::string skipped = never_reached_in_loop(exercise, mistake); !skipped.empty())
        page.paragraph(detail, {{skipped}});
    if (const std::string words = warning_beside(exercise, mistake); !words.empty()) page.paragraph(detail, {{words}});
    page.paragraph(detail, {{std::string(before_symptom(diagnosis, mistake)) + " ", Tone::faint}, {mistake.symptom}});
    if (!mistake.lesson.empty())
        page.paragraph(detail, {{mistake.lesson},
                                {with_hints ? "   ./headway hint " + exercise.number : std::string{}, Tone::faint}});
    const std::size_t shown =
        page.style().verbose ? mistake.shipped.size() : std::min(most_sources, mistake.shipped.size());
    for (std::size_t i = 0; i < shown; ++i)
        page.paragraph(detail, {{i == 0 ? before_shipped(mistake) + " " : "and: ", Tone::faint},
                                {mistake.shipped[i], Tone::faint}});
}

void show_unrecognised(Page& page, const verdict::Exercise& exercise, const FunctionDiagnosis& function, Told& told) {
    // What it reads there may be anything: that has its name above.
    if (std::ranges::count(function.mistakes, "used_after_freed") > 0) return;
    const auto loud = loud_failure(exercise, function.function);
    const bool fails_there_too = loud && is_told(told, *loud->failure);
    const bool may_follow = loud && exercise.diagnosis && may_come_of_freed_memory(*exercise.diagnosis, *loud->failure);
    if (may_follow)
        page.paragraph({.indent = title_indent, .hanging = 2},
                       {{"▸ ", Tone::faint}, {loud->headline + ": of that, perhaps", Tone::faint}});
    else if (fails_there_too)
        page.paragraph(
            {.indent = title_indent, .hanging = 2},
            {{"▸ ", Tone::faint}, {fails_there_as_well(function.function, "fails", *loud->failure->at), Tone::faint}});
    else if (loud)
        show_loud(page, *loud, function);
    if (loud) told.push_back(loud->failure);
    if (loud && loud->always) return;  // what is said of answers is of those that came, and few did
    const std::string title = unnamed_in_words(exercise, function.function);
    page.paragraph({.indent = title_indent, .hanging = 2}, {{"▸ ", Tone::waiting}, {title, Tone::strong}});
    const Page::Paragraph detail = {.indent = detail_indent, .hanging = 2};
    for (const std::string& sentence : sentences_below(title, function)) page.paragraph(detail, {{sentence}});
}

}  // namespace

void show_diagnosis(Page& page, const verdict::Exercise& exercise, const Diagnosis& diagnosis, bool with_hints) {
    Told thrown, told;
    for (const NamedMistake& mistake : diagnosis.mistakes)
        if (of_earlier_functions(diagnosis, mistake).empty())
            show_mistake(page, exercise, diagnosis, mistake, with_hints, thrown);
    for (const NamedMistake& mistake : diagnosis.mistakes)
        if (const std::string words = of_earlier_functions(diagnosis, mistake); !words.empty())
            page.paragraph({.indent = title_indent, .hanging = 2}, {{"· ", Tone::faint}, {words, Tone::faint}});
    for (const FunctionDiagnosis& function : diagnosis.functions) {
        if (function.state == FunctionState::unrecognised) show_unrecognised(page, exercise, function, told);
        if (const std::string waits = waits_for_others(exercise, function); !waits.empty())
            page.paragraph({.indent = title_indent, .hanging = 2}, {{"▸ ", Tone::faint}, {waits, Tone::faint}});
        if (function.state == FunctionState::follows)
            page.paragraph(
                {.indent = title_indent, .hanging = 2},
                {{"· ", Tone::faint}, {function.function + " is right given your own earlier functions", Tone::faint}});
    }
    const Page::Paragraph title = {.indent = title_indent, .hanging = 2};
    const bool is_wrong = std::ranges::any_of(exercise.tests, [](const verdict::Test& test) {
        return test.state == verdict::TestState::failed && !test.depends_on;
    });
    if (diagnosis.functions.empty() && !is_wrong) return;  // what is not written is no mistake
    if (diagnosis.functions.empty())
        page.paragraph(title, {{"▸ ", Tone::waiting},
                               {is_out_of_time(exercise)
                                    ? "there was no time to look for the mistake"
                                    : "Headway has no name for this mistake: whatever else it asked was answered right",
                                Tone::strong}});
    else if (is_out_of_time(exercise))
        page.paragraph(title, {{"▸ ", Tone::faint}, {not_looked_at, Tone::faint}});
    page.blank();
}

}  // namespace headway::report
