#include <fmt/format.h>

#include "report/besides.hpp"
#include "report/html_parts.hpp"
#include "report/loud.hpp"
#include "report/stages.hpp"
#include "report/warning_beside.hpp"
#include "report/words.hpp"

namespace headway::report {
namespace {

using verdict::Diagnosis;
using verdict::FunctionDiagnosis;
using verdict::FunctionState;
using verdict::NamedMistake;

void write_line(Xml& page, const std::string& label, const std::string& text) {
    if (text.empty()) return;
    page.open("p");
    page.text("span", {{"class", "faint"}}, label);
    page.words(text);
    page.close();
}

/// The line, what to change in it, and the call.
void write_place(Xml& page, const LoudFailure& loud) {
    for (const std::string& line : {loud.where, loud.way})
        if (!line.empty()) page.text("pre", {}, line);
    if (!loud.advice.empty()) page.text("p", {}, loud.advice);
    write_line(page, "asked:", loud.asked);
}

void write_mistake(Xml& page, const verdict::Exercise& exercise, const NamedMistake& mistake) {
    page.open("div", {{"class", "mistake"}});
    const auto thrown = throw_behind(exercise, mistake);
    page.text("h3", {}, thrown ? thrown->headline : mistake.title);
    if (thrown) write_place(page, *thrown);
    for (const std::string& other : mistake.also_known_as) write_line(page, "or (same numbers):", other);
    write_line(page, "right:", mistake.right);
    write_line(page, "in", functions_of(*exercise.diagnosis, mistake, Whose::their_own));
    write_line(page, "right given your own earlier functions:",
               functions_of(*exercise.diagnosis, mistake, Whose::of_earlier_ones));
    write_line(page, "from your own earlier functions, in",
               functions_of(*exercise.diagnosis, mistake, Whose::inherited));
    const FunctionDiagnosis* first =
        mistake.functions.empty() ? nullptr : diagnosis_of(*exercise.diagnosis, mistake.functions.front());
    if (first != nullptr && first->inputs > 0 && !is_contradicted(exercise, *first))
        write_line(page, "evidence:", evidence(*first));
    if (first != nullptr && first->inputs == 0)
        for (const std::string& sentence : first->sentences) {
            if (is_remedy(sentence))
                page.text("p", {}, sentence);
            else
                write_line(page, "seen:", sentence);
        }
    for (const std::string& words : besides_of(*exercise.diagnosis, mistake)) write_line(page, "besides:", words);
    for (const std::string& line : stopped_at(exercise, mistake)) page.text("pre", {}, line);
    if (const std::string skipped = never_reached_in_loop(exercise, mistake); !skipped.empty())
        page.text("p", {}, skipped);
    if (const std::string words = warning_beside(exercise, mistake); !words.empty()) page.text("p", {}, words);
    write_line(page, std::string(before_symptom(*exercise.diagnosis, mistake)), mistake.symptom);
    write_line(page, "read:", mistake.lesson);
    for (const std::string& shipped : mistake.shipped) write_line(page, before_shipped(mistake), shipped);
    page.close();
}

void write_unrecognised(Xml& page, const verdict::Exercise& exercise, const FunctionDiagnosis& function) {
    if (std::ranges::count(function.mistakes, "used_after_freed") > 0) return;  // it has its name above
    const auto loud = loud_failure(exercise, function.function);
    if (loud && loud->always && exercise.diagnosis && may_come_of_freed_memory(*exercise.diagnosis, *loud->failure)) {
        page.text("p", {{"class", "faint"}}, loud->headline + ": of that, perhaps.");
        return;
    }
    page.open("div", {{"class", "mistake unnamed"}});
    if (loud) {
        page.text("h3", {}, loud->headline);
        if (loud->failure->pattern) page.text("p", {}, *loud->failure->pattern);
        write_place(page, *loud);
        if (loud->always && !loud->failure->pattern) write_line(page, "seen:", condition_of(function, *loud->failure));
        page.close();
        if (loud->always) return;
        page.open("div", {{"class", "mistake unnamed"}});
    }
    const std::string title = unnamed_in_words(exercise, function.function);
    page.text("h3", {}, title);
    for (const std::string& sentence : sentences_below(title, function)) page.text("p", {}, sentence);
    page.close();
}

}  // namespace

void write_diagnosis(Xml& page, const verdict::Exercise& exercise) {
    if (!exercise.diagnosis) return;
    const Diagnosis& diagnosis = *exercise.diagnosis;
    for (const NamedMistake& mistake : diagnosis.mistakes)
        if (of_earlier_functions(diagnosis, mistake).empty()) write_mistake(page, exercise, mistake);
    for (const NamedMistake& mistake : diagnosis.mistakes)
        if (const std::string words = of_earlier_functions(diagnosis, mistake); !words.empty())
            page.text("p", {{"class", "faint"}}, words + ".");
    for (const FunctionDiagnosis& function : diagnosis.functions) {
        if (function.state == FunctionState::unrecognised) write_unrecognised(page, exercise, function);
        if (const std::string waits = waits_for_others(exercise, function); !waits.empty())
            page.text("p", {{"class", "faint"}}, waits);
        if (function.state == FunctionState::follows)
            page.text("p", {{"class", "faint"}}, function.function + " is right given your own earlier functions.");
    }
    if (is_out_of_time(exercise)) page.text("p", {{"class", "faint"}}, std::string(not_looked_at) + ".");
}

void write_stages(Xml& page, const verdict::Exercise& exercise) {
    const StagesSeen seen = stages_seen(exercise);
    if (!seen.any()) return;
    page.text("h3", {}, "Where it first goes wrong");
    page.open("ol", {{"class", "stages"}});
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const StageShape& stage = stages.at(i);
        const std::string_view shape = seen.in_heads ? stage.shape : stage.single_shape;
        if (shape.empty()) continue;
        const bool first = i == seen.first_wrong;
        page.open("li", {{"class", first ? "wrong first" : seen.wrong.at(i) ? "wrong" : ""}});
        page.text("strong", {{"class", seen.wrong.at(i) ? "bad" : ""}},
                  fmt::format("{}{}", seen.wrong.at(i) ? "✗ " : "", to_string(stage.stage)));
        page.text("span", {}, stage.computes);
        page.text("span", {{"class", "faint"}}, shape);
        if (first) page.text("span", {{"class", "bad"}}, "the first that is wrong");
        page.close();
    }
    page.close();
    if (!seen.sizes.empty())
        page.text("p", {{"class", "faint"}}, "In one of the tests that failed, " + seen.sizes + ".");
}

}  // namespace headway::report
