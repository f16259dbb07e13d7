#include "charts.hpp"

#include <algorithm>

namespace headway::lessons {
namespace {

constexpr double title_height = 28;
constexpr double names_height = 24;

/// Draws the title, and returns where what is below it begins.
Point below_title(Picture& picture, Point corner, const std::string& title) {
    if (title.empty()) return corner;
    picture.label({corner.x, corner.y + title_height / 2 - 2}, title, {.type = Type::strong});
    return {corner.x, corner.y + title_height};
}

/// The names of columns and rows around a grid of cells. @return the grid's corner
Point around_grid(Picture& picture, Point corner, double label_width, const Box& cell, const Labels& rows,
                  const Labels& columns) {
    const Point grid{corner.x + label_width, corner.y + (columns.empty() ? 0 : names_height)};
    for (std::size_t s = 0; s < columns.size(); ++s)
        picture.label({grid.x + (static_cast<double>(s) + 0.5) * cell.width, corner.y + names_height / 2}, columns[s],
                      {.tone = Tone::faint, .anchor = Anchor::middle, .type = Type::small});
    for (std::size_t t = 0; t < rows.size(); ++t)
        picture.label({grid.x - 6, grid.y + (static_cast<double>(t) + 0.5) * cell.height}, rows[t],
                      {.anchor = Anchor::end, .type = Type::small});
    return grid;
}

}  // namespace

void draw_heatmap(Picture& picture, Point corner, const HeatMap& map) {
    const Point grid =
        around_grid(picture, below_title(picture, corner, map.title), map.label_width, map.cell, map.rows, map.columns);
    for (Index t = 0; t < map.weights.size(0); ++t)
        for (Index s = 0; s < map.weights.size(1); ++s) {
            const Box box{grid.x + static_cast<double>(s) * map.cell.width,
                          grid.y + static_cast<double>(t) * map.cell.height, map.cell.width, map.cell.height};
            if (map.blocked.defined() && map.blocked(t, s)) continue;
            const double weight = map.weights(t, s);
            picture.cell(box, map.tone, rounded(weight, map.decimals), fixed(weight, map.decimals));
        }
}

void draw_bars(Picture& picture, Point corner, const Bars& bars) {
    const Point begin = below_title(picture, corner, bars.title);
    // Where some are negative, zero is not at the left end.
    const double lowest = std::min(0.0, *std::min_element(bars.values.begin(), bars.values.end()));
    const double longest = bars.longest > 0
                               ? bars.longest
                               : rounded(*std::max_element(bars.values.begin(), bars.values.end()), bars.decimals);
    const double scale = bars.length / (longest - rounded(lowest, bars.decimals));
    const double zero = begin.x + bars.label_width - rounded(lowest, bars.decimals) * scale;
    for (std::size_t i = 0; i < bars.values.size(); ++i) {
        const double value = rounded(bars.values[i], bars.decimals);
        const double y = begin.y + (static_cast<double>(i) + 0.5) * bars.pitch;
        const double width = std::max(1.0, (value < 0 ? -value : value) * scale);
        picture.label({begin.x + bars.label_width - 6, y}, bars.names[i], {.anchor = Anchor::end, .type = Type::small});
        picture.bar({value < 0 ? zero - width : zero, y - bars.pitch * 0.36, width, bars.pitch * 0.72}, bars.tone);
        picture.label({(value < 0 ? zero : zero + width) + 6, y}, fixed(bars.values[i], bars.decimals),
                      {.type = Type::small});
    }
    picture.line({zero, begin.y}, {zero, begin.y + bars.pitch * static_cast<double>(bars.values.size())}, Tone::faint);
}

void draw_staircase(Picture& picture, Point corner, const Staircase& stairs) {
    const Box cell{.width = stairs.side, .height = stairs.side};
    const Point grid = around_grid(picture, below_title(picture, corner, stairs.title), stairs.label_width, cell,
                                   stairs.rows, stairs.columns);
    picture.staircase(grid, stairs.side, stairs.mask);
}

void draw_mask_key(Picture& picture, Point corner) {
    picture.cell({corner.x, corner.y, 24, 24}, Tone::blue, 1);
    picture.label({corner.x + 32, corner.y + 12}, "may be attended to", {.type = Type::small});
    picture.cell({corner.x + 190, corner.y, 24, 24}, Tone::ink, 0, "×");
    picture.label({corner.x + 222, corner.y + 12}, "may not", {.type = Type::small});
}

std::string in_words(const Labels& names, const std::vector<double>& values, int decimals) {
    std::string words;
    for (std::size_t i = 0; i < names.size(); ++i)
        words += (i > 0 ? ", " : "") + names[i] + " " + fixed(values[i], decimals);
    return words;
}

std::vector<double> numbers_of(const Tensor& values) {
    const Tensor dense = values.contiguous();
    return {dense.data(), dense.data() + dense.numel()};
}

}  // namespace headway::lessons
