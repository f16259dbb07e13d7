#pragma once

#include <cstddef>

#include "report/failure_view.hpp"
#include "terminal/page.hpp"
#include "verdict/verdict.hpp"

namespace headway::report {

/// The first of the compiler's errors: where, what it says, the line, the course's sentence, and how many follow.
void show_errors(Page& page, std::size_t indent, const std::vector<verdict::CompilerMessage>& errors,
                 const Place& place);

/// What the compiler warns of, if anything.
void show_warnings(Page& page, const verdict::Exercise& exercise, const Place& place);

}  // namespace headway::report
