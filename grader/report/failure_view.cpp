#include "failure_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "matrices.hpp"
#include "numbers.hpp"

namespace headway::report {
namespace {

using verdict::Failure;
using verdict::FailureKind;
using verdict::SanitizerReport;
using verdict::Worst;

constexpr std::size_t most_story_lines = 8;
constexpr std::size_t most_report_lines = 6;

std::size_t at_most(const Page& page, std::size_t lines) { return page.style().verbose ? unlimited : lines; }

/// For a failure that came without a message.
std::string kind_in_words(FailureKind kind) {
    switch (kind) {
        case FailureKind::wrong_value:
            return "the numbers differ";
        case FailureKind::wrong_shape:
            return "the shape differs";
        case FailureKind::wrong_behaviour:
            return "it does not behave as it should";
        case FailureKind::exception:
            return "it threw an exception";
        case FailureKind::crash:
            return "it crashed";
        case FailureKind::exit:
            return "it ended the process";
        case FailureKind::timeout:
            return "it took too long";
        case FailureKind::memory:
            return "it took too much memory";
        case FailureKind::output_flood:
            return "it printed too much";
        case FailureKind::sanitizer:
            return "a sanitizer found a mistake";
        case FailureKind::protocol:
            return "it did not send an answer";
    }
    return "it failed";
}

std::string message_of(const Failure& failure) {
    if (!failure.message.empty()) return failure.message;
    const std::string where = failure.function.empty() ? "" : failure.function + ": ";
    return where + kind_in_words(failure.kind);
}

void show_story(Page& page, const Failure& failure) {
    constexpr std::string_view label = "asked: ";
    if (failure.story.empty()) return;
    const std::size_t shown = std::min(failure.story.size(), at_most(page, most_story_lines));
    for (std::size_t i = 0; i < shown; ++i) {
        const std::string lead = i == 0 ? std::string(label) : std::string(label.size(), ' ');
        page.paragraph({.indent = failure_indent, .hanging = label.size() + 2, .most_lines = at_most(page, 4)},
                       {{lead, Tone::faint}, {failure.story[i]}});
    }
    if (shown == failure.story.size()) return;
    page.note_cut();
    page.line(failure_indent + label.size(),
              {{"… " + counted(failure.story.size() - shown, "more step"), Tone::faint}});
}

/// "[b=1, h=2]", kept on one line
std::string coordinate_text(const Worst& worst) {
    std::string text;
    for (std::size_t i = 0; i < worst.coordinate.size(); ++i) {
        const std::string axis = i < worst.axes.size() ? worst.axes[i] : fmt::format("axis {}", i);
        text += fmt::format("{}{}={}", i == 0 ? "" : fmt::format(",{}", no_break_space), axis, worst.coordinate[i]);
    }
    return "[" + text + "]";
}

void show_worst(Page& page, const Worst& worst) {
    const TwoNumbers numbers = told_apart(worst.yours, worst.expected);
    const std::string where = fmt::format("largest difference at {}:", coordinate_text(worst));
    const std::string what = worst.tolerance == 0
                                 ? fmt::format("yours {}, expected exactly {}", numbers.yours, numbers.expected)
                                 : fmt::format("yours {}, expected {} (tolerance {})", numbers.yours, numbers.expected,
                                               number(worst.tolerance, 2));
    if (page.fits(failure_indent, where + " " + what)) {
        page.paragraph({.indent = failure_indent}, {{where + " " + what}});
    } else {
        page.paragraph({.indent = failure_indent, .hanging = 2}, {{where}});
        page.paragraph({.indent = failure_indent + 2}, {{what}});
    }
}

/// "stage scale of attention_scores, 9 of 210 elements differ"
std::string circumstances(const Failure& failure) {
    std::vector<std::string> parts;
    if (!failure.stage.empty()) {
        parts.push_back("stage " + failure.stage + (failure.function.empty() ? "" : " of " + failure.function));
    } else if (!failure.function.empty() && failure.message.find(failure.function) == std::string::npos) {
        parts.push_back("in " + failure.function);
    }
    if (failure.all_elements > 0) {
        const std::string of_all = failure.wrong_elements == failure.all_elements && failure.all_elements > 1
                                       ? "all"
                                       : fmt::format("{} of", failure.wrong_elements);
        parts.push_back(fmt::format("{} {} elements differ", of_all, failure.all_elements));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

void show_build(Page& page, const verdict::Test& test, const Failure& failure) {
    if (test.build == "plain") page.line(failure_indent, {{"only in the plain build"}});
    // Where a sanitizer reports, this goes without saying; elsewhere memory is read before it is written.
    if (test.build == "sanitized" && failure.kind != FailureKind::sanitizer) {
        page.paragraph({.indent = failure_indent, .hanging = 2},
                       {{"only in the sanitized build, where fresh memory holds a pattern"}});
    }
}

void show_sanitizer(Page& page, const SanitizerReport& report, const Place& place) {
    std::vector<Span> spans = {{report.kind, Tone::bad}};
    if (!report.file.empty()) spans.push_back({" at " + place.of(report.file, report.line)});
    page.paragraph({.indent = failure_indent, .hanging = 2}, spans);
    page.quote(failure_indent, fmt::format("{}", fmt::join(report.first_lines, "\n")), at_most(page, most_report_lines),
               page.style().verbose ? Page::LongLines::wrapped : Page::LongLines::cut);
}

}  // namespace

std::string Place::of(const std::string& file, int line, int column) const {
    std::string text = folder + file;
    if (line > 0) text += fmt::format(":{}", line);
    if (line > 0 && column > 0) text += fmt::format(":{}", column);
    return text;
}

void show_failure(Page& page, const verdict::Test& test, const Failure& failure, const Place& place) {
    page.paragraphs({.indent = failure_indent}, message_of(failure));
    show_story(page, failure);
    if (const std::string text = circumstances(failure); !text.empty()) {
        page.paragraph({.indent = failure_indent, .hanging = 2}, {{text}});
    }
    show_build(page, test, failure);
    if (failure.worst) show_worst(page, *failure.worst);
    show_numbers(page, failure_indent, failure);
    if (failure.sanitizer) show_sanitizer(page, *failure.sanitizer, place);
}

void show_failure_briefly(Page& page, const Failure& failure, const std::string& lead) {
    page.note_cut();
    const Page::Paragraph form = {.indent = failure_indent, .hanging = 2, .most_lines = 2};
    page.paragraph(form, {{lead, Tone::faint}, {message_of(failure)}});
    if (failure.worst) show_worst(page, *failure.worst);
}

bool are_alike(const Failure& a, const Failure& b) {
    const auto place = [](const Failure& f) {
        return f.sanitizer ? f.sanitizer->kind + f.sanitizer->file + std::to_string(f.sanitizer->line) : std::string();
    };
    return a.kind == b.kind && a.function == b.function && a.stage == b.stage && a.message == b.message &&
           place(a) == place(b);
}

}  // namespace headway::report
