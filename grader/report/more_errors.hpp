#pragma once

#include <string>
#include <vector>

#include "report/failure_view.hpp"
#include "verdict/verdict.hpp"

namespace headway::report {

/// How many errors follow the first, which alone is shown, and in short the next of them that says something else.
std::string more_errors_in_words(const std::vector<verdict::CompilerMessage>& errors, const Place& place);

}  // namespace headway::report
