#include "labs/frame/chart.hpp"

#include "terminal/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headway::lab {
namespace {

using report::number;
using report::Tone;

constexpr std::size_t chart_rows = 12;
constexpr std::size_t axis_width = 8;
constexpr std::array<std::string_view, 6> marks = {"●", "○", "■", "□", "▲", "△"};
constexpr std::array<std::string_view, 6> letters = {"o", "x", "+", "*", "#", "@"};
constexpr std::string_view shared_mark = "◆", shared_letter = "%";  ///< where several lines meet

/// The mark that stands at a place; empty: none.
struct Drawing {
    std::vector<std::vector<std::string_view>> grid;
    bool lines_meet = false;
};

Drawing drawn(const Chart& chart, std::size_t columns, bool unicode) {
    const Span2d span = span_of(chart);
    Drawing drawing{std::vector(chart_rows, std::vector<std::string_view>(columns)), false};
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        const Series& one = chart.series[i];
        for (std::size_t p = 0; p < one.x.size(); ++p) {
            if (!std::isfinite(one.y[p])) continue;
            const auto column = std::lround(across(chart, span, one.x[p]) * static_cast<double>(columns - 1));
            const auto row = std::lround((1 - up(span, one.y[p])) * static_cast<double>(chart_rows - 1));
            const std::string_view mark = (unicode ? marks : letters)[i % marks.size()];
            std::string_view& place = drawing.grid[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
            const bool taken = !place.empty() && place != mark;
            place = !taken ? mark : unicode ? shared_mark : shared_letter;
            drawing.lines_meet = drawing.lines_meet || taken;
        }
    }
    return drawing;
}

/// Enough for three digits of what the axis spans, the same at all its ticks.
int decimals(double span) {
    return std::isnormal(span) ? std::clamp(2 - static_cast<int>(std::floor(std::log10(span))), 0, 6) : 0;
}

}  // namespace

void show_chart(report::Page& page, std::size_t indent, const Chart& chart) {
    const bool unicode = page.style().unicode;
    const Span2d span = span_of(chart);
    const std::size_t columns = std::min<std::size_t>(page.room(indent) - axis_width - 2, 64);
    page.line(indent, {{chart.title, Tone::strong}});
    page.line(indent, {{chart.y_name, Tone::faint}});
    const Drawing drawing = drawn(chart, columns, unicode);
    for (std::size_t row = 0; row < chart_rows; ++row) {
        const double y = std::lerp(span.top, span.bottom, static_cast<double>(row) / (chart_rows - 1));
        std::string line = row % 4 == 0 || row == chart_rows - 1
                               ? fmt::format("{:>{}.{}f}", y, axis_width, decimals(span.top - span.bottom))
                               : std::string(axis_width, ' ');
        line += unicode ? "│" : "|";
        for (const std::string_view mark : drawing.grid[row]) line += mark.empty() ? " " : mark;
        page.line(indent, {{line}});
    }
    const std::string low = number(span.left);
    const std::string high = number(span.right);
    page.line(indent, {{fmt::format("{:{}} {}{:>{}}", "", axis_width, low, high, columns - low.size())}});
    std::string legend = chart.x_name + ";";
    for (std::size_t i = 0; i < chart.series.size(); ++i)
        legend += fmt::format(" {}\u00A0{}", (unicode ? marks : letters)[i % marks.size()], chart.series[i].name);
    if (drawing.lines_meet) legend += fmt::format(" {}\u00A0several", unicode ? shared_mark : shared_letter);
    page.paragraph({.indent = indent + axis_width + 1}, {{legend, Tone::faint}});
}

}  // namespace headway::lab
