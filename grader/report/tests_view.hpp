#pragma once

#include "../verdict/verdict.hpp"
#include "failure_view.hpp"
#include "page.hpp"

namespace headway::report {

/// What holds in few lines, what fails with its failure, what waits for a function that is still a stub.
void show_tests(Page& page, const verdict::Exercise& exercise, const Place& place);

}  // namespace headway::report
