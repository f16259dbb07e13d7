#include "report/html.hpp"

#include <fmt/format.h>

#include "report/exercise_view.hpp"
#include "report/html_parts.hpp"

namespace headway::report {
namespace {

using verdict::Exercise;
using verdict::Verdict;

void write_summary(Xml& page, const Verdict& verdict) {
    int points = 0;
    int max_points = 0;
    for (const Exercise& exercise : verdict.exercises) {
        if (exercise.state == verdict::State::unavailable) continue;
        points += exercise.points;
        max_points += exercise.max_points;
    }
    page.text("h1", {}, fmt::format("{} of {} points", points, max_points));
    page.text("p", {{"class", "faint"}},
              fmt::format("{}, graded {} in {:.1f} s, {}", verdict.submission, verdict.started, verdict.seconds,
                          verdict.seed ? fmt::format("seed {}", *verdict.seed) : "a secret seed"));
    if (verdict.exercises.size() < 2) return;
    page.open("ul");
    for (const Exercise& exercise : verdict.exercises) {
        page.open("li");
        page.text("a", {{"href", "#exercise-" + exercise.number}}, exercise.number + " " + exercise.title);
        page.words(": " + state_in_words(exercise).text + ", " + points_text(exercise));
        page.close();
    }
    page.close();
}

void write_circumstances(Xml& page, const Verdict& verdict) {
    page.open("footer", {{"class", "faint"}});
    page.open("details");
    page.text("summary", {}, "How it was graded");
    for (const auto& [tool, version] : verdict.toolchain) page.text("p", {}, tool + ": " + version);
    for (const auto& [name, state] : verdict.protections) page.text("p", {}, name + ": " + state);
    for (const Exercise& exercise : verdict.exercises)
        for (const auto& [run, jail] : exercise.jails.value_or(std::map<std::string, std::string>()))
            page.text("p", {}, exercise.number + ", " + run + ": jail " + jail);
    page.close();
    page.close();
}

}  // namespace

void write_head(Xml& page, const std::string& title, const std::string& more_style) {
    page.open("head");
    page.empty("meta", {{"charset", "utf-8"}});
    page.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    // Whatever a submission printed: nothing is fetched, nothing runs.
    page.empty("meta", {{"http-equiv", "Content-Security-Policy"},
                        {"content", "default-src 'none'; style-src 'unsafe-inline'"}});
    page.text("title", {}, title);
    page.text("style", {}, std::string(html_style) + more_style);
    page.close();
}

std::string html(const Verdict& verdict) {
    Xml page("<!DOCTYPE html>\n");
    page.open("html", {{"lang", "en"}});
    write_head(page, "Headway: your verdict");
    page.open("body");
    page.open("main");
    write_summary(page, verdict);
    for (const Exercise& exercise : verdict.exercises) write_exercise(page, exercise, verdict.submission);
    page.close();
    write_circumstances(page, verdict);
    page.close();
    page.close();
    return page.take();
}

}  // namespace headway::report
