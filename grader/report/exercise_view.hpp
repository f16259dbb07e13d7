#pragma once

#include <string>

#include "terminal/page.hpp"
#include "verdict/verdict.hpp"

namespace headway::report {

/// "passed", "not started", ... as a person says it, with the colour that goes with it
Span state_in_words(const verdict::Exercise& exercise);

/// "7 / 10", or "- / 10" where no mark is given; does not wrap
std::string points_text(const verdict::Exercise& exercise);

/// How much an exercise that passed has to say.
enum class WhenPassed { one_line, list_properties };

void show_exercise(Page& page, const verdict::Exercise& exercise, const std::string& submission,
                   WhenPassed when_passed);

}  // namespace headway::report
