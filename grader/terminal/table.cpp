#include "terminal/table.hpp"

#include <algorithm>
#include <numeric>

namespace headway::report {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest_column = 8;

using Widths = std::vector<std::size_t>;

Widths natural_widths(const Page& page, const std::vector<TableRow>& rows) {
    Widths widths;
    for (const TableRow& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columns(safe_line(row[i], page.alphabet())));
    }
    return widths;
}

/// Takes from the widest column, a little at a time, until all fit.
Widths fitted(Widths widths, std::size_t room) {
    while (std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1)) > room) {
        const auto column = std::ranges::max_element(widths);
        if (*column <= narrowest_column) break;
        --*column;
    }
    return widths;
}

void append(std::vector<Span>& line, const Cells& cells) {
    for (const Cell& cell : cells) {
        if (line.empty() || line.back().tone != cell.tone) line.push_back({"", cell.tone});
        line.back().text += cell.glyph;
    }
}

}  // namespace

void put_table(Page& page, std::size_t indent, const std::vector<TableRow>& rows) {
    if (rows.empty()) return;
    const Widths natural = natural_widths(page, rows);
    const Widths widths = fitted(natural, page.room(indent));
    const bool has_wrapped = widths != natural;
    for (std::size_t number = 0; number < rows.size(); ++number) {
        std::vector<std::vector<Cells>> cells;
        std::size_t height = 0;
        for (std::size_t i = 0; i < rows[number].size(); ++i) {
            cells.push_back(wrap(safe_line(rows[number][i], page.alphabet()), widths[i], widths[i]));
            height = std::max(height, cells.back().size());
        }
        if (has_wrapped && number > 1) page.blank();
        for (std::size_t row = 0; row < height; ++row) {
            std::vector<Span> line;
            for (std::size_t i = 0; i < cells.size(); ++i) {
                const Cells part = row < cells[i].size() ? cells[i][row] : Cells{};
                append(line, part);
                if (i + 1 < cells.size())
                    line.push_back({std::string(widths[i] - std::min(widths[i], columns(part)) + gap, ' ')});
            }
            page.line(indent, line);
        }
        if (number == 0) {
            const std::size_t wide = std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
            std::string rule;
            for (std::size_t i = 0; i < std::min(wide, page.room(indent)); ++i)
                rule += page.alphabet() == Alphabet::unicode ? "─" : "-";
            page.line(indent, {{rule, Tone::faint}});
        }
    }
}

}  // namespace headway::report
