#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "report/heat.hpp"
#include "report/html_parts.hpp"
#include "report/shades.hpp"
#include "terminal/numbers.hpp"

namespace headway::report {
namespace {

using verdict::Window;

std::vector<std::string> counted_from(std::int64_t first, std::int64_t count) {
    std::vector<std::string> labels;
    for (std::int64_t i = first; i < first + count; ++i) labels.push_back(std::to_string(i));
    return labels;
}

void write_table(Xml& page, const Window& window, const std::string& title,
                 std::function<ShadedCell(std::size_t)> cell_at) {
    write_shaded_table(page, {.title = title,
                              .corner = fmt::format("{}\\{}", row_axis(window), column_axis(window)),
                              .rows = counted_from(first_row(window), window.yours.shape[0]),
                              .columns = counted_from(first_column(window), window.yours.shape[1]),
                              .cell = std::move(cell_at)});
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
    const auto shaded = [&](double value) {
        return std::isfinite(value) ? shade_style(scale.shade(value), blue_shades) : "";
    };

    std::string where = place_of(window);
    if (!where.empty()) where = " at " + where;
    page.open("div", {{"class", "maps"}});
    write_table(page, window, "yours" + where, [&](std::size_t i) {
        const double value = window.yours.values[i];
        return ShadedCell{value, shaded(value), wrong[i]};
    });
    write_table(page, window, "expected" + where, [&](std::size_t i) {
        const double value = window.expected.values[i];
        return ShadedCell{value, shaded(value)};
    });
    write_table(page, window, "yours − expected", [&](std::size_t i) {
        const double difference = window.yours.values[i] - window.expected.values[i];
        return ShadedCell{difference, std::isfinite(difference) ? shade_style(apart.shade(std::abs(difference)),
                                                                              difference < 0 ? blue_shades : red_shades)
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
