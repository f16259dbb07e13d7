#include "report/failure_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/heatmap.hpp"
#include "report/matrices.hpp"
#include "report/words.hpp"

namespace headway::report {
namespace {

using verdict::Failure;
using verdict::FailureKind;
using verdict::SanitizerReport;
using verdict::Worst;

constexpr std::size_t most_story_lines = 3;
constexpr std::size_t most_report_lines = 6;
/// Of a story that is told in full: how it begins, and what led to the call that went wrong. All of it is in the JSON.
constexpr std::size_t first_steps = 3;
constexpr std::size_t last_steps = 8;

std::size_t at_most(const Page& page, std::size_t lines) { return page.style().verbose ? unlimited : lines; }

struct Step {
    std::string call;
    std::size_t times = 1;  ///< in a row
};

std::vector<Step> steps_of(const std::vector<std::string>& story) {
    std::vector<Step> steps;
    for (const std::string& call : story) {
        if (!steps.empty() && steps.back().call == call)
            ++steps.back().times;
        else
            steps.push_back({call});
    }
    return steps;
}

std::size_t calls_in(std::span<const Step> steps) {
    return std::accumulate(steps.begin(), steps.end(), std::size_t{0},
                           [](std::size_t sum, const Step& step) { return sum + step.times; });
}

/// Whether a call is given what the other made, of several: "forward(module 2, query)", "make_layer(options): module
/// 2".
bool is_given(const std::string& call, const std::string& maker) {
    const std::size_t colon = maker.rfind("): ");
    if (colon == std::string::npos) return false;
    const std::string made = maker.substr(colon + 3);
    const std::size_t at = call.find(made);
    return at != std::string::npos &&
           (at + made.size() == call.size() || call[at + made.size()] == ',' || call[at + made.size()] == ')');
}

/// The call that makes what the one that went wrong is asked of: make_cache(…). Where they have no numbers, the last
/// one; if there is none, as many as there are.
std::size_t maker_in(const std::vector<Step>& steps) {
    if (steps.empty() || steps.back().call.starts_with("make_")) return steps.size();
    for (std::size_t i = steps.size() - 1; i-- > 0;)
        if (is_given(steps.back().call, steps[i].call)) return i;
    for (std::size_t i = steps.size() - 1; i-- > 0;)
        if (steps[i].call.starts_with("make_")) return i;
    return steps.size();
}

void show_story(Page& page, const Failure& failure) {
    constexpr std::string_view label = "asked: ";
    // The last call is the one that went wrong. Where numbers are wrong, what led to them is worth a look.
    const std::vector<Step> steps = steps_of(failure.story);
    const std::size_t most = is_loud(failure.kind) ? 1 : most_story_lines;
    const std::size_t left_out = steps.size() - std::min(steps.size(), at_most(page, most));
    std::string lead(label);
    const auto next_lead = [&] { return std::exchange(lead, std::string(label.size(), ' ')); };
    const auto show_step = [&](const Step& step) {
        std::vector<Span> line{{next_lead(), Tone::faint}, {step.call}};
        if (step.times > 1) line.push_back({" (" + std::to_string(step.times) + " times)", Tone::faint});
        page.paragraph({.indent = failure_indent, .hanging = label.size() + 2, .most_lines = at_most(page, 4)}, line);
    };
    const auto show_more = [&](std::size_t begin, std::size_t end) {
        const std::size_t more = calls_in(std::span(steps).subspan(begin, end - begin));
        if (more > 0)
            page.line(failure_indent,
                      {{fmt::format("{}… {} …", next_lead(), counted(more, "more call")), Tone::faint}});
    };
    const std::size_t maker = maker_in(steps);
    if (left_out > 0) page.note_cut();
    if (maker < left_out) show_step(steps[maker]);
    const std::size_t others = maker < left_out ? maker + 1 : 0;
    if (others < left_out) {
        const std::size_t count = calls_in(std::span(steps).subspan(others, left_out - others));
        page.line(failure_indent, {{next_lead() + "after " + counted(count, "other call") +
                                        (most > 1 ? ", of these the last failed:" : ":"),
                                    Tone::faint}});
    }
    const std::size_t later = steps.size() - std::min(steps.size(), last_steps);
    for (std::size_t i = left_out; i < steps.size(); ++i) {
        if (i == first_steps && i + 1 < later) {  // one line would not be shorter than one step
            if (i <= maker && maker < later) {
                show_more(i, maker);
                show_step(steps[maker]);
                i = maker + 1;
            }
            show_more(i, later);
            i = later;
        }
        show_step(steps[i]);
    }
}

void show_worst(Page& page, const Worst& worst) {
    const auto [where, what] = in_words(worst);
    if (page.fits(failure_indent, where + " " + what)) {
        page.paragraph({.indent = failure_indent}, {{where + " " + what}});
    } else {
        page.paragraph({.indent = failure_indent, .hanging = 2}, {{where}});
        page.paragraph({.indent = failure_indent + 2}, {{what}});
    }
}

void show_build(Page& page, const verdict::Test& test, const Failure& failure) {
    if (test.build == verdict::FailedIn::plain) page.line(failure_indent, {{"only in the plain build"}});
    // Where a sanitizer reports, this goes without saying; elsewhere memory is read before it is written.
    if (test.build == verdict::FailedIn::sanitized && failure.kind != FailureKind::sanitizer) {
        page.paragraph({.indent = failure_indent, .hanging = 2},
                       {{"only in the sanitized build, where fresh memory holds a pattern"}});
    }
}

/// @param output  what the test printed, which is shown below this: there, a report stands in full
void show_sanitizer(Page& page, const SanitizerReport& report, const std::string& output, const Place& place) {
    std::vector<Span> spans = {{report.kind, Tone::bad}};
    if (!report.file.empty()) spans.push_back({" at " + place.of(report.file, report.line)});
    page.paragraph({.indent = failure_indent, .hanging = 2}, spans);
    const bool follows = page.style().verbose && !report.first_lines.empty() &&
                         output.find(report.first_lines.front()) != std::string::npos;
    if (report.first_lines.empty() || follows) return;
    page.quote(failure_indent, fmt::format("{}", fmt::join(report.first_lines, "\n")), at_most(page, most_report_lines),
               page.style().verbose ? Page::LongLines::wrapped : Page::LongLines::cut);
}

/// Who attends to whom is seen at a glance, small as the matrix may be.
bool is_about_weights(const Failure& failure) {
    return failure.stage == verdict::Stage::softmax || failure.stage == verdict::Stage::mask;
}

}  // namespace

std::string Place::of(const std::string& file, int line, int column) const {
    std::string text = folder + file;
    if (line > 0) text += fmt::format(":{}", line);
    if (line > 0 && column > 0) text += fmt::format(":{}", column);
    return text;
}

void show_failure(Page& page, const verdict::Test& test, const Failure& failure, const Place& place) {
    if (page.style().read_by_editor)
        page.told({.indent = failure_indent}, {{own_message_of(failure)}});
    else
        page.paragraphs({.indent = failure_indent}, own_message_of(failure));
    if (failure.pattern) page.paragraph({.indent = failure_indent, .hanging = 2}, {{*failure.pattern}});
    const Page::Paragraph detail = {.indent = failure_indent, .hanging = 2, .most_lines = at_most(page, 4)};
    if (failure.at) page.told(detail, {{line_text(*failure.at, failure.at->file)}});
    if (failure.through) page.paragraph(detail, {{way_text(failure, failure.through->file)}});
    if (failure.advice) page.paragraph(detail, {{*failure.advice}});
    show_story(page, failure);
    if (const std::string text = circumstances(failure); !text.empty()) {
        page.paragraph({.indent = failure_indent, .hanging = 2}, {{text}});
    }
    show_build(page, test, failure);
    if (failure.worst) show_worst(page, *failure.worst);
    const Shown numbers = show_numbers(page, failure_indent, failure);
    if (failure.window && (numbers == Shown::nothing || is_about_weights(failure)))
        show_heatmap(page, failure_indent, *failure.window);
    if (failure.sanitizer) show_sanitizer(page, *failure.sanitizer, test.output, place);
}

void show_failure_briefly(Page& page, const Failure& failure, const std::string& lead) {
    page.note_cut();
    // What is said in words alone says at its end what is missing.
    const bool is_words = failure.kind == FailureKind::wrong_behaviour && !failure.worst;
    const Page::Paragraph form = {.indent = failure_indent, .hanging = 2, .most_lines = is_words ? 5U : 2U};
    const bool line_says_it = !lead.empty() && lead != after_no_return && failure.at && is_loud(failure.kind);
    page.paragraph(
        form,
        {{lead, Tone::faint},
         {line_says_it ? fmt::format("your {} fails at {}:{}", failure.function, failure.at->file, failure.at->line)
                       : message_of(failure)}});
    if (failure.worst) show_worst(page, *failure.worst);
}

bool are_alike(const Failure& a, const Failure& b) {
    // One line that goes wrong is one mistake, whichever call leads there.
    if (a.sanitizer && b.sanitizer && !a.sanitizer->file.empty())
        return a.sanitizer->kind == b.sanitizer->kind && a.sanitizer->file == b.sanitizer->file &&
               a.sanitizer->line == b.sanitizer->line;
    if (is_loud(a.kind) && a.kind == b.kind && a.at && b.at)
        return a.at->file == b.at->file && a.at->line == b.at->line;
    return a.kind == b.kind && a.function == b.function && a.stage == b.stage && a.message == b.message &&
           a.sanitizer.has_value() == b.sanitizer.has_value();
}

bool may_come_of(const Failure& a, const Failure& b) {
    return a.sanitizer && a.sanitizer->kind.find("without returning a value") != std::string::npos &&
           b.kind == FailureKind::crash && !b.sanitizer && a.function == b.function &&
           b.message.find("without returning a value") == std::string::npos;  // else it says so itself
}

}  // namespace headway::report
