#pragma once

#include "terminal/page.hpp"
#include "verdict/verdict.hpp"

namespace headway::report {

/// What is wrong, by name; or what can be said of it where no name is known.
void show_diagnosis(Page& page, const verdict::Exercise& exercise, const verdict::Diagnosis& diagnosis);

}  // namespace headway::report
