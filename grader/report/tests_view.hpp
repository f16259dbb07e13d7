#pragma once

#include "report/failure_view.hpp"
#include "terminal/page.hpp"
#include "verdict/verdict.hpp"

namespace headway::report {

/// What holds in few lines, what fails with its failure, what waits for a function that is still a stub.
void show_tests(Page& page, const verdict::Exercise& exercise, const Place& place);

/// What is worth knowing whether it passes or not; nothing if there is none.
void show_remarks(Page& page, const verdict::Exercise& exercise);

}  // namespace headway::report
