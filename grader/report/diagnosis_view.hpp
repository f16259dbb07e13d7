#pragma once

#include "terminal/page.hpp"
#include "verdict/verdict.hpp"

namespace headway::report {

/// What is wrong, by name; or what can be said of it where no name is known.
/// @param with_hints  whether it was written by the reader, who may ask for a hint
void show_diagnosis(Page& page, const verdict::Exercise& exercise, const verdict::Diagnosis& diagnosis,
                    bool with_hints);

}  // namespace headway::report
