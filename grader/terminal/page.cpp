#include "terminal/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "terminal/marked.hpp"

namespace headway::report {
namespace {

constexpr std::size_t narrowest = 40;
/// Prose on wider lines is hard to read.
constexpr std::size_t widest = 100;
constexpr std::size_t bar_width = 2;
/// Lines of a source line with its marks, where not verbose: one of 200 characters, 80 columns wide, has six.
constexpr std::size_t longest_source = 8;
/// Lines of one text, where not verbose.
constexpr std::size_t longest_text = 12;

std::string_view escape_sequence(Tone tone) {
    switch (tone) {
        case Tone::strong:
            return "\x1b[1m";
        case Tone::faint:
            return "\x1b[2m";
        case Tone::good:
            return "\x1b[32m";
        case Tone::bad:
            return "\x1b[31m";
        case Tone::waiting:
            return "\x1b[33m";
        case Tone::plain:
            break;
    }
    return "";
}

constexpr std::string_view reset = "\x1b[0m";

}  // namespace

std::string counted(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

Page::Page(const TerminalStyle& style) : style_(style) { style_.width = std::clamp(style.width, narrowest, widest); }

std::size_t Page::room(std::size_t indent) const { return style_.width - std::min(indent, style_.width / 2); }

bool Page::fits(std::size_t indent, std::string_view text) const {
    return columns(safe_line({{std::string(text)}}, alphabet())) <= room(indent);
}

void Page::blank() { blank_is_due_ = !text_.empty(); }

void Page::rule() {
    const std::string_view dash = style_.unicode ? "─" : "-";
    std::string line;
    for (std::size_t i = 0; i < style_.width; ++i) line += dash;
    blank_is_due_ = false;
    this->line(0, {{line, Tone::faint}});
}

void Page::put(std::size_t indent, const Cells& cells) {
    std::string line(std::min(indent, style_.width / 2), ' ');
    Tone tone = Tone::plain;
    for (const Cell& cell : cells) {
        if (style_.colour && cell.tone != tone) {
            if (tone != Tone::plain) line += reset;
            line += escape_sequence(cell.tone);
            tone = cell.tone;
        }
        line += cell.glyph == no_break_space ? " " : cell.glyph;
    }
    if (tone != Tone::plain) line += reset;
    line.erase(line.find_last_not_of(' ') + 1);
    if (std::exchange(blank_is_due_, false)) text_ += '\n';
    text_ += line + '\n';
}

void Page::put_up_to(std::size_t most_lines, const Paragraph& form, const std::vector<Cells>& lines) {
    // Whatever it is, it must not drown the rest.
    if (!style_.verbose) most_lines = std::min(most_lines, longest_text);
    // A line that says "one more line" takes the place of that line.
    const std::size_t shown = lines.size() <= most_lines ? lines.size() : std::max<std::size_t>(most_lines, 2) - 1;
    for (std::size_t i = 0; i < shown; ++i) put(form.indent + (i == 0 ? 0 : form.hanging), lines[i]);
    if (shown == lines.size()) return;
    has_cut_ = true;
    line(form.indent + form.hanging, {{"… " + counted(lines.size() - shown, "more line"), Tone::faint}});
}

void Page::paragraph(const Paragraph& form, const std::vector<Span>& spans) {
    const Cells cells = safe_line(spans, alphabet());
    put_up_to(form.most_lines, form, wrap(cells, room(form.indent), room(form.indent + form.hanging)));
}

void Page::place(std::size_t indent, const Span& place) {
    constexpr std::size_t longest_path = 1000;
    put(indent, cut(safe_line({place}, alphabet()), longest_path, alphabet()));
}

void Page::told(const Paragraph& form, const std::vector<Span>& spans) {
    constexpr std::size_t longest_line = 400;
    if (style_.read_by_editor)
        put(form.indent, cut(safe_line(spans, alphabet()), longest_line, alphabet()));
    else
        paragraph(form, spans);
}

void Page::paragraphs(const Paragraph& form, std::string_view text, Tone tone) {
    std::vector<Cells> lines;
    for (const Cells& cells : safe_lines(text, alphabet(), tone)) {
        std::ranges::move(wrap(cells, room(form.indent), room(form.indent)), std::back_inserter(lines));
    }
    put_up_to(form.most_lines, form, lines);
}

void Page::entry(std::size_t indent, const std::vector<Span>& text, const Span& right) {
    constexpr std::size_t gap = 2;
    const Cells end = safe_line({right}, alphabet());
    const std::size_t first_width = room(indent) - std::min(columns(end) + gap, room(indent) / 2);
    std::vector<Cells> lines = wrap(safe_line(text, alphabet()), first_width, first_width - gap);
    Cells& first = lines.front();
    const std::size_t padding = room(indent) - columns(first) - std::min(columns(end), room(indent) - columns(first));
    first.insert(first.end(), padding, Cell{" ", 1, Tone::plain});
    first.insert(first.end(), end.begin(), end.end());
    put_up_to(unlimited, {.indent = indent, .hanging = gap}, lines);
}

void Page::line(std::size_t indent, const std::vector<Span>& spans) {
    put(indent, cut(safe_line(spans, alphabet()), room(indent), alphabet()));
}

Cells Page::behind_bar(Cells cells) const {
    cells.insert(cells.begin(), {{style_.unicode ? "│" : "|", 1, Tone::faint}, Cell{" ", 1, Tone::plain}});
    return cells;
}

void Page::quote(std::size_t indent, std::string_view text, std::size_t most_lines, LongLines long_lines) {
    const std::size_t width = room(indent) - bar_width;
    std::vector<Cells> lines;
    for (const Cells& whole : safe_lines(text, alphabet())) {
        if (long_lines == LongLines::cut && columns(whole) > width) has_cut_ = true;
        for (Cells& part : long_lines == LongLines::wrapped ? wrap(whole, width, width)
                                                            : std::vector<Cells>{cut(whole, width, alphabet())})
            lines.push_back(behind_bar(std::move(part)));
    }
    put_up_to(most_lines, {.indent = indent}, lines);
}

void Page::source(std::size_t indent, std::string_view text, std::string_view marks, Tone tone) {
    std::vector<Cells> lines;
    for (Cells& line : marked_lines(text, marks, room(indent) - bar_width, alphabet(), tone))
        lines.push_back(behind_bar(std::move(line)));
    put_up_to(style_.verbose ? unlimited : longest_source, {.indent = indent}, lines);
}

std::string Page::take() { return std::move(text_); }

}  // namespace headway::report
