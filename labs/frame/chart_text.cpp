#include "chart.hpp"

#include "../../grader/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headway::lab {
namespace {

using report::number;
using report::Tone;

constexpr std::size_t rows = 12;
constexpr std::size_t axis_width = 8;
constexpr std::array<std::string_view, 6> marks = {"●", "○", "■", "□", "▲", "△"};
constexpr std::array<std::string_view, 6> letters = {"o", "x", "+", "*", "#", "@"};

/// The mark that stands at a place; empty: none.
using Grid = std::vector<std::vector<std::string_view>>;

Grid drawn(const Chart& chart, std::size_t columns, bool unicode) {
    const Span2d span = span_of(chart);
    Grid grid(rows, std::vector<std::string_view>(columns));
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        const Series& one = chart.series[i];
        for (std::size_t p = 0; p < one.x.size(); ++p) {
            if (!std::isfinite(one.y[p])) continue;
            const auto column = std::lround(across(chart, span, one.x[p]) * static_cast<double>(columns - 1));
            const auto row = std::lround((1 - up(span, one.y[p])) * static_cast<double>(rows - 1));
            grid[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] =
                (unicode ? marks : letters)[i % marks.size()];
        }
    }
    return grid;
}

}  // namespace

void show_chart(report::Page& page, std::size_t indent, const Chart& chart) {
    const bool unicode = page.style().unicode;
    const Span2d span = span_of(chart);
    const std::size_t columns = std::min<std::size_t>(page.room(indent) - axis_width - 2, 64);
    page.line(indent, {{chart.title, Tone::strong}});
    page.line(indent, {{chart.y_name, Tone::faint}});
    const Grid grid = drawn(chart, columns, unicode);
    for (std::size_t row = 0; row < rows; ++row) {
        const double y = std::lerp(span.top, span.bottom, static_cast<double>(row) / (rows - 1));
        std::string line = row % 4 == 0 || row == rows - 1 ? fmt::format("{:>{}}", number(y, 3), axis_width)
                                                           : std::string(axis_width, ' ');
        line += unicode ? "│" : "|";
        for (const std::string_view mark : grid[row]) line += mark.empty() ? " " : mark;
        page.line(indent, {{line}});
    }
    const std::string low = number(span.left), high = number(span.right);
    page.line(indent, {{fmt::format("{:{}} {}{:>{}}", "", axis_width, low, high, columns - low.size())}});
    std::string legend = chart.x_name + ";";
    for (std::size_t i = 0; i < chart.series.size(); ++i)
        legend += fmt::format(" {}\u00A0{}", (unicode ? marks : letters)[i % marks.size()], chart.series[i].name);
    page.paragraph({.indent = indent + axis_width + 1}, {{legend, Tone::faint}});
}

}  // namespace headway::lab
