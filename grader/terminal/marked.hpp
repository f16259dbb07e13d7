#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "terminal/cells.hpp"

namespace headway::report {

/// A line of source, and below it `marks`, one for each of its characters, as a compiler points with ^ and ~. Where it
/// is wider than `width` both go on in lines below; lines of marks that would be empty are left out. A tab takes one
/// column.
std::vector<Cells> marked_lines(std::string_view source, std::string_view marks, std::size_t width, Alphabet alphabet,
                                Tone tone);

}  // namespace headway::report
