#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "heat.hpp"
#include "html_parts.hpp"
#include "numbers.hpp"

namespace headway::report {
namespace {

using verdict::Window;

struct Colour {
    double red, green, blue;
};

constexpr Colour white = {247, 251, 255};
constexpr Colour blue = {8, 48, 107};
constexpr Colour red = {127, 20, 20};

/// Beyond this shade, light text is easier to read than dark text.
constexpr double dark_from = 0.62;

/// In more, numbers would be too small to read, and three tables not fit side by side; pointing at a cell tells its
/// own.
constexpr std::int64_t most_columns_with_numbers = 8;

/// From white to `full`; the page's scheme has no part in it, so that a shade means the same in both.
std::string painted(double shade, const Colour& full) {
    const auto mix = [&](double from, double to) { return static_cast<int>(from + (to - from) * shade + 0.5); };
    return fmt::format("background:rgb({},{},{});color:{}", mix(white.red, full.red), mix(white.green, full.green),
                       mix(white.blue, full.blue), shade > dark_from ? "#fff" : "#000");
}

/// What one table shows of each element.
struct Cell {
    double value = 0;
    std::string style;
    bool wrong = false;
};

void write_table(Xml& page, const Window& window, const std::string& title,
                 const std::function<Cell(std::size_t)>& cell_at) {
    const std::int64_t rows = window.yours.shape[0];
    const std::int64_t columns = window.yours.shape[1];
    page.open("div", {{"class", "map"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", title}});
    page.open("table");
    page.text("caption", {}, title);
    page.open("tr");
    page.text("td", {{"class", "faint"}}, fmt::format("{}\\{}", row_axis(window), column_axis(window)));
    for (std::int64_t column = 0; column < columns; ++column)
        page.text("th", {{"scope", "col"}}, std::to_string(first_column(window) + column));
    page.close();
    for (std::int64_t row = 0; row < rows; ++row) {
        page.open("tr");
        page.text("th", {{"scope", "row"}}, std::to_string(first_row(window) + row));
        for (std::int64_t column = 0; column < columns; ++column) {
            const Cell cell = cell_at(static_cast<std::size_t>(row * columns + column));
            const std::string strange = std::isfinite(cell.value) ? "" : "strange ";
            page.text("td",
                      {{"class", strange + (cell.wrong ? "wrong" : "")},
                       {"style", cell.style},
                       {"title", number(cell.value)}},
                      columns <= most_columns_with_numbers ? number(cell.value, 2) : "");
        }
        page.close();
    }
    page.close();
    page.close();
}

}  // namespace

void write_heatmaps(Xml& page, const Window& window) {
    if (window.yours.values.empty()) return;
    std::vector<bool> wrong(window.yours.values.size(), false);
    for (const std::int64_t i : window.wrong) wrong[static_cast<std::size_t>(i)] = true;
    // Where everything is wrong, marking it all would only hide the shades.
    if (window.wrong.size() == wrong.size()) wrong.assign(wrong.size(), false);
    const HeatScale scale = heat_scale(window);
    const HeatScale apart{0, largest_difference(window)};
    const auto shaded = [&](double value) { return std::isfinite(value) ? painted(scale.shade(value), blue) : ""; };

    std::string where = place_of(window);
    if (!where.empty()) where = " at " + where;
    page.open("div", {{"class", "maps"}});
    write_table(page, window, "yours" + where, [&](std::size_t i) {
        const double value = window.yours.values[i];
        return Cell{value, shaded(value), wrong[i]};
    });
    write_table(page, window, "expected" + where, [&](std::size_t i) {
        const double value = window.expected.values[i];
        return Cell{value, shaded(value)};
    });
    write_table(page, window, "yours − expected", [&](std::size_t i) {
        const double difference = window.yours.values[i] - window.expected.values[i];
        return Cell{difference, std::isfinite(difference)
                                    ? painted(apart.shade(std::abs(difference)), difference < 0 ? blue : red)
                                    : ""};
    });
    page.close();
    std::string legend = fmt::format(
        "White: {} or less, dark: {} or more. Difference: red is too much, blue too little, "
        "full colour is {}.",
        number(scale.low, 3), number(scale.high, 3), number(apart.high, 2));
    if (std::find(wrong.begin(), wrong.end(), true) != wrong.end()) legend += " Outlined: what is wrong.";
    if (window.shape != window.yours.shape)
        legend += fmt::format(" The tensor has shape {}; this is the matrix in which the difference is largest.",
                              shape_text(window.shape));
    page.text("p", {{"class", "faint small"}}, legend);
}

}  // namespace headway::report
