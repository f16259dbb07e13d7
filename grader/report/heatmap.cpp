#include "report/heatmap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/heat.hpp"
#include "report/shades.hpp"
#include "terminal/numbers.hpp"

namespace headway::report {
namespace {

using verdict::Window;

constexpr std::size_t gap = 3;
/// What is not a number has no strength.
constexpr std::string_view not_finite = "!";

class Heatmap {
public:
    Heatmap(const Page& page, std::size_t indent, const Window& window)
        : window_(window),
          unicode_(page.style().unicode),
          rows_(static_cast<std::size_t>(window.yours.shape[0])),
          columns_(static_cast<std::size_t>(window.yours.shape[1])),
          scale_(heat_scale(window)),
          difference_{0, largest_difference(window)},
          wrong_(window.yours.values.size(), false) {
        for (const std::int64_t i : window.wrong) wrong_[static_cast<std::size_t>(i)] = true;
        const std::size_t two_wide = 3 * width_of_block(2) + 2 * gap;
        cell_width_ = two_wide <= page.room(indent) ? 2 : 1;
    }

    void show(Page& page, std::size_t indent) const {
        page.paragraph({.indent = indent, .hanging = 2}, {{heading(), Tone::faint}});
        std::vector<Span> titles;
        for (const std::string_view title : {"yours", "expected", "difference"})
            titles.push_back({fmt::format("{:<{}}", title, width_of_block(cell_width_) + gap), Tone::faint});
        titles.back().text = "difference";
        page.line(indent, titles);
        for (std::size_t row = 0; row < rows_; ++row) page.line(indent, line(row));
        page.paragraph({.indent = indent, .hanging = 2}, {{legend(), Tone::faint}});
    }

private:
    std::size_t width_of_block(std::size_t cell_width) const {
        return std::max(columns_ * cell_width, std::string_view("difference").size());
    }

    /// "at [b=1, h=2], one row a query, one column a key"; "rows along axis 0" where axes have no names of their own.
    std::string heading() const {
        const auto runs = [](const char* what, const std::string& axis) {
            if (axis == "h") return fmt::format("one {} a head", what);
            if (axis == "b") return fmt::format("one {} a sequence", what);
            if (axis == what) return fmt::format("{0} by {0}", what);
            if (axis == "axis") return fmt::format("{}s along one axis", what);
            const char* article = std::string_view("aeiou").find(axis.front()) == std::string_view::npos ? "a" : "an";
            return axis.starts_with("axis ") ? fmt::format("{}s along {}", what, axis)
                                             : fmt::format("one {} {} {}", what, article, axis);
        };
        const std::string place = place_of(window_);
        std::string text = place.empty() ? "" : "at " + place + ", ";
        if (!row_axis(window_).empty()) text += runs("row", row_axis(window_)) + ", ";
        text += runs("column", column_axis(window_));
        if (window_.shape.size() >= 2)
            text += part_of("row", first_row(window_), window_.yours.shape[0], *(window_.shape.end() - 2));
        if (!window_.shape.empty())
            text += part_of("column", first_column(window_), window_.yours.shape[1], window_.shape.back());
        return text + ":";
    }

    /// ", columns 106 to 121 of 150", counted as where the largest difference is; empty if all are shown.
    static std::string part_of(const char* what, std::int64_t first, std::int64_t shown, std::int64_t all) {
        if (shown >= all) return {};
        if (shown == 1) return fmt::format(", {} {} of {}", what, first, all);
        return fmt::format(", {}s {} to {} of {}", what, first, first + shown - 1, all);
    }

    std::string glyph(double value, const HeatScale& scale) const {
        std::string text;
        const std::string_view shade = std::isfinite(value) ? shade_glyph(scale.shade(value), unicode_) : not_finite;
        for (std::size_t i = 0; i < cell_width_; ++i) text += shade;
        return text;
    }

    std::vector<Span> line(std::size_t row) const {
        std::vector<Span> spans;
        const auto block = [&](const std::function<Span(std::size_t)>& cell) {
            // What stands behind the last block would make the line too long for the page.
            if (!spans.empty())
                spans.push_back({std::string(width_of_block(cell_width_) - columns_ * cell_width_ + gap, ' ')});
            for (std::size_t column = 0; column < columns_; ++column) spans.push_back(cell(row * columns_ + column));
        };
        const auto& yours = window_.yours.values;
        const auto& expected = window_.expected.values;
        block([&](std::size_t i) { return Span{glyph(yours[i], scale_), wrong_[i] ? Tone::bad : Tone::plain}; });
        block([&](std::size_t i) { return Span{glyph(expected[i], scale_)}; });
        block([&](std::size_t i) {
            if (!wrong_[i]) return Span{std::string(cell_width_, ' ')};
            return Span{glyph(std::abs(yours[i] - expected[i]), difference_), Tone::bad};
        });
        return spans;
    }

    std::string legend() const {
        const std::string_view full = shade_glyph(1, unicode_);
        std::string text = fmt::format("{} {} or less, {} {} or more", shade_glyph(0, unicode_), number(scale_.low, 3),
                                       full, number(scale_.high, 3));
        // Where only NaN and infinity are wrong, there is no number.
        if (difference_.high > 0) text += fmt::format("; difference: {} {}", full, number(difference_.high, 2));
        const auto finite = [](double value) { return std::isfinite(value); };
        if (!std::all_of(window_.yours.values.begin(), window_.yours.values.end(), finite))
            text += fmt::format("; {} NaN or infinite", not_finite);
        return text;
    }

    const Window& window_;
    bool unicode_;
    std::size_t rows_;
    std::size_t columns_;
    std::size_t cell_width_ = 2;  ///< two characters a number look like a square
    HeatScale scale_;
    HeatScale difference_;
    std::vector<bool> wrong_;
};

}  // namespace

void show_heatmap(Page& page, std::size_t indent, const Window& window) {
    if (window.yours.values.size() < 2) return;
    Heatmap(page, indent, window).show(page, indent);
}

}  // namespace headway::report
