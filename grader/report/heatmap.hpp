#pragma once

#include "terminal/page.hpp"
#include "verdict/verdict.hpp"

namespace headway::report {

/// Yours, expected and their difference, side by side as shades of five strengths; what is wrong stands out in colour.
void show_heatmap(Page& page, std::size_t indent, const verdict::Window& window);

}  // namespace headway::report
