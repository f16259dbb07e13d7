#pragma once

#include <cstddef>
#include <vector>

#include "terminal/page.hpp"

namespace headway::report {

using TableCell = std::vector<Span>;
using TableRow = std::vector<TableCell>;

/// Rows in columns as wide as what stands in them; the first row is the head. Where they are wider than the page, the
/// widest columns are made narrower and their text wrapped, so that nothing is cut.
void put_table(Page& page, std::size_t indent, const std::vector<TableRow>& rows);

}  // namespace headway::report
