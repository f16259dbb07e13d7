#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/xml.hpp"

/// Numbers as shades, wherever they are shown: 0 is the weakest, 1 the strongest.
namespace headway::report {

/// One of five blocks (or letters) for a terminal.
std::string_view shade_glyph(double shade, bool unicode);

struct Colour {
    double red, green, blue;
};
inline constexpr Colour blue_shades = {8, 48, 107};
inline constexpr Colour red_shades = {127, 20, 20};

/// The style of a cell, from white to `full`.
std::string shade_style(double shade, const Colour& full);

/// What a table shows of one element.
struct ShadedCell {
    double value = 0;
    std::string style;
    bool wrong = false;
};

/// A matrix as a table whose cells are coloured.
struct ShadedTable {
    std::string title;
    std::string corner;  ///< "query\key"
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::function<ShadedCell(std::size_t)> cell;  ///< row-major
};
void write_shaded_table(Xml& page, const ShadedTable& table);

}  // namespace headway::report
