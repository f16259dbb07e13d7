#pragma once

#include "../verdict/verdict.hpp"
#include "failure_view.hpp"
#include "page.hpp"

namespace headway::report {

/// Why there was nothing to run: in words, where, and the first of the compiler's lines.
void show_build_problem(Page& page, const verdict::Exercise& exercise, const Place& place);

}  // namespace headway::report
