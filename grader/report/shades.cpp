#include "report/shades.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "terminal/numbers.hpp"

namespace headway::report {
namespace {

constexpr std::size_t levels = 5;
constexpr std::array<std::string_view, levels> unicode_shades = {"·", "░", "▒", "▓", "█"};
constexpr std::array<std::string_view, levels> ascii_shades = {".", ":", "+", "%", "@"};

constexpr Colour white = {247, 251, 255};

/// Beyond this shade, light text is easier to read than dark text.
constexpr double dark_from = 0.62;

/// In more, numbers would be too small to read, and tables not fit side by side; pointing at a cell tells its own.
constexpr std::size_t most_columns_with_numbers = 8;

/// Characters in the heading of a column.
constexpr std::size_t longest_upright = 3;

}  // namespace

std::string_view shade_glyph(double shade, bool unicode) {
    const auto level = static_cast<std::size_t>(shade * (levels - 1) + 0.5);
    return (unicode ? unicode_shades : ascii_shades)[level];
}

/// The page's scheme has no part in it, so that a shade means the same in both.
std::string shade_style(double shade, const Colour& full) {
    const auto mix = [&](double from, double to) { return static_cast<int>(from + (to - from) * shade + 0.5); };
    return fmt::format("background:rgb({},{},{});color:{}", mix(white.red, full.red), mix(white.green, full.green),
                       mix(white.blue, full.blue), shade > dark_from ? "#fff" : "#000");
}

void write_shaded_table(Xml& page, const ShadedTable& table) {
    page.open("div", {{"class", "map"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", table.title}});
    page.open("table");
    page.text("caption", {}, table.title);
    page.open("tr");
    page.text("td", {{"class", "faint"}}, table.corner);
    // Upright words would make columns as wide as they are long, and a square of weights no square.
    const bool words = std::any_of(table.columns.begin(), table.columns.end(),
                                   [](const std::string& column) { return column.size() > longest_upright; });
    for (const std::string& column : table.columns)
        page.text("th", {{"scope", "col"}, {"class", words ? "turned" : ""}}, column);
    page.close();
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        page.open("tr");
        page.text("th", {{"scope", "row"}}, table.rows[row]);
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            const ShadedCell cell = table.cell(row * table.columns.size() + column);
            const std::string strange = std::isfinite(cell.value) ? "" : "strange ";
            page.open("td", {{"class", strange + (cell.wrong ? "wrong" : "")},
                             {"style", cell.style},
                             {"title", number(cell.value)}});
            // Where a colour says it to the eye, these words do to a screen reader.
            const bool seen = table.columns.size() <= most_columns_with_numbers;
            if (seen) page.words(number(cell.value, 2));
            const std::string unseen = (seen ? "" : number(cell.value, 2)) + (cell.wrong ? " wrong" : "");
            if (!unseen.empty()) page.text("span", {{"class", "unseen"}}, unseen);
            page.close();
        }
        page.close();
    }
    page.close();
    page.close();
}

}  // namespace headway::report
