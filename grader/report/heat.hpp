#pragma once

#include "verdict/verdict.hpp"

#include <string>

namespace headway::report {

/// What a heatmap's shades stand for: 0 is `low`, 1 is `high`.
struct HeatScale {
    double low = 0;
    double high = 1;

    /// Within 0 and 1; what is not finite has no shade.
    double shade(double value) const;
};

/// The range of the expected numbers, so that yours look as flat or as steep as they are.
HeatScale heat_scale(const verdict::Window& window);

/// The largest finite |yours - expected|; 0 if there is none.
double largest_difference(const verdict::Window& window);

/// "[b=1, h=2]": where the matrix lies; empty if the tensor is that matrix.
std::string place_of(const verdict::Window& window);

/// Names of its axes; empty for the rows of a tensor that has a single axis.
std::string row_axis(const verdict::Window& window);
std::string column_axis(const verdict::Window& window);

/// The position on that axis of the first row and column shown.
std::int64_t first_row(const verdict::Window& window);
std::int64_t first_column(const verdict::Window& window);

}  // namespace headway::report
