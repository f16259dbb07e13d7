#pragma once

#include "report/failure_view.hpp"
#include "terminal/page.hpp"
#include "verdict/verdict.hpp"

namespace headway::report {

/// Why there was nothing to run: in words, where, and the first of the compiler's lines.
void show_build_problem(Page& page, const verdict::Exercise& exercise, const Place& place);

}  // namespace headway::report
