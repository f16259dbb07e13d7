#include "report/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "terminal/numbers.hpp"

namespace headway::report {
namespace {

using verdict::Numbers;

constexpr std::int64_t most_rows = 6;
constexpr std::int64_t most_columns = 6;
constexpr std::size_t gap_between_numbers = 2;
constexpr std::size_t gap_between_blocks = 4;

/// A tensor as rows; those of one matrix of a batch belong together.
struct Rows {
    std::size_t rows = 1;
    std::size_t columns = 1;
    std::size_t rows_of_matrix = 1;
};

std::optional<Rows> as_rows(const Numbers& numbers) {
    std::int64_t columns = 1;
    std::int64_t rows = 1;
    std::int64_t rows_of_matrix = 1;
    for (std::size_t axis = 0; axis < numbers.shape.size(); ++axis) {
        const std::int64_t size = numbers.shape[axis];
        const std::size_t from_last = numbers.shape.size() - axis;
        if (size < 1 || size > most_columns) return std::nullopt;
        if (from_last == 1) columns = size;
        if (from_last == 2) rows_of_matrix = size;
        if (from_last >= 2) rows *= size;
        if (rows > most_rows) return std::nullopt;
    }
    if (static_cast<std::size_t>(rows * columns) != numbers.values.size()) return std::nullopt;
    return Rows{static_cast<std::size_t>(rows), static_cast<std::size_t>(columns),
                static_cast<std::size_t>(rows_of_matrix)};
}

/// How the numbers of both tensors are written: alike, so that they line up.
struct Format {
    bool fixed = true;
    int digits = 4;
};

Format format_for(const std::vector<double>& values) {
    double largest = 0;
    bool whole = true;
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        largest = std::max(largest, std::abs(value));
        whole = whole && value == std::round(value);
    }
    if (largest >= 1e6 || (largest > 0 && largest < 1e-3)) return {.fixed = false, .digits = 4};
    if (whole) return {.fixed = true, .digits = 0};
    const int before_point = largest >= 1 ? static_cast<int>(std::log10(largest)) + 1 : 1;
    return {.fixed = true, .digits = std::clamp(5 - before_point, 1, 4)};
}

std::vector<std::string> texts(const Numbers& numbers, const Format& format) {
    std::vector<std::string> result;
    for (const double value : numbers.values) {
        const bool fixed = format.fixed && std::isfinite(value);
        result.push_back(fixed ? fmt::format("{:.{}f}", value, format.digits) : number(value, format.digits));
    }
    return result;
}

/// A titled grid of numbers; those of the other grid that differ stand out.
struct Block {
    std::string title;
    Rows rows;
    std::vector<std::string> numbers;
    std::vector<std::string> others;  ///< what they are compared with, or nothing

    std::size_t cell_width() const {
        std::size_t width = 0;
        for (const std::string& text : numbers) width = std::max(width, text.size());
        return width;
    }

    std::size_t width() const {
        const std::size_t grid = rows.columns * (cell_width() + gap_between_numbers) - gap_between_numbers;
        return std::max(grid, title.size());
    }

    /// Line 0 is the title; a line between two matrices is empty.
    std::vector<std::vector<Span>> lines() const {
        std::vector<std::vector<Span>> result = {{{title, Tone::faint}}};
        for (std::size_t row = 0; row < rows.rows; ++row) {
            if (row > 0 && row % rows.rows_of_matrix == 0) result.emplace_back();
            std::vector<Span>& line = result.emplace_back();
            for (std::size_t column = 0; column < rows.columns; ++column) {
                const std::size_t i = row * rows.columns + column;
                const bool differs = !others.empty() && others[i] != numbers[i];
                line.push_back({std::string(column == 0 ? 0 : gap_between_numbers, ' ')});
                line.push_back({fmt::format("{:>{}}", numbers[i], cell_width()), differs ? Tone::bad : Tone::plain});
            }
        }
        return result;
    }
};

std::size_t width_of(const std::vector<Span>& line) {
    std::size_t width = 0;
    for (const Span& span : line) width += span.text.size();
    return width;
}

void show_beside(Page& page, std::size_t indent, const Block& left, const Block& right) {
    const auto left_lines = left.lines();
    const auto right_lines = right.lines();
    for (std::size_t i = 0; i < std::max(left_lines.size(), right_lines.size()); ++i) {
        std::vector<Span> line = i < left_lines.size() ? left_lines[i] : std::vector<Span>{};
        line.push_back({std::string(left.width() + gap_between_blocks - width_of(line), ' ')});
        if (i < right_lines.size()) line.insert(line.end(), right_lines[i].begin(), right_lines[i].end());
        page.line(indent, line);
    }
}

bool show_alone(Page& page, std::size_t indent, const Block& block) {
    if (block.width() > page.room(indent)) return false;
    for (const auto& line : block.lines()) page.line(indent, line);
    return true;
}

std::optional<Block> block_of(const std::optional<Numbers>& numbers, std::string_view owner, const Format& format,
                              bool with_shape) {
    if (!numbers) return std::nullopt;
    const std::optional<Rows> rows = as_rows(*numbers);
    if (!rows) return std::nullopt;
    const std::string title = with_shape ? fmt::format("{} {}", owner, shape_text(numbers->shape)) : std::string(owner);
    return Block{title, *rows, texts(*numbers, format), {}};
}

/// What is too large to show counts as nothing.
Numbers small(const std::optional<Numbers>& numbers) { return numbers && as_rows(*numbers) ? *numbers : Numbers{}; }

/// The fewest digits with which something differs, if something does.
Format telling_format(const Numbers& yours, const Numbers& expected) {
    std::vector<double> all = yours.values;
    all.insert(all.end(), expected.values.begin(), expected.values.end());
    Format format = format_for(all);
    constexpr int most_digits = 9;
    while (format.digits < most_digits && texts(yours, format) == texts(expected, format)) ++format.digits;
    return yours.values == expected.values ? format_for(all) : format;
}

}  // namespace

Shown show_numbers(Page& page, std::size_t indent, const verdict::Failure& failure) {
    const bool both = failure.yours && failure.expected;
    const bool shapes_differ = both && failure.yours->shape != failure.expected->shape;
    const Format format = telling_format(small(failure.yours), small(failure.expected));
    std::optional<Block> yours = block_of(failure.yours, "yours", format, shapes_differ);
    std::optional<Block> expected = block_of(failure.expected, "expected", format, shapes_differ);
    if (yours && expected && !shapes_differ) yours->others = expected->numbers;

    if (yours && expected && yours->width() + gap_between_blocks + expected->width() <= page.room(indent)) {
        show_beside(page, indent, *yours, *expected);
        return Shown::numbers;
    }
    const bool yours_shown = yours && show_alone(page, indent, *yours);
    const bool expected_shown = expected && show_alone(page, indent, *expected);
    if (shapes_differ && !(yours_shown && expected_shown)) {
        page.paragraph({.indent = indent},
                       {{fmt::format("yours has shape {}, expected {}", shape_text(failure.yours->shape),
                                     shape_text(failure.expected->shape))}});
    }
    return yours_shown || expected_shown ? Shown::numbers : Shown::nothing;
}

}  // namespace headway::report
