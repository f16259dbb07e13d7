#pragma once

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

namespace headway::report {

/// What else is told of the functions that have a mistake: refusals that tests missed. Each is told with one mistake.
/// @param mistake  one of `diagnosis`
std::vector<std::string> besides_of(const verdict::Diagnosis& diagnosis, const verdict::NamedMistake& mistake);

}  // namespace headway::report
