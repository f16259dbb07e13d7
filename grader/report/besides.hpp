#pragma once

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

namespace headway::report {

/// What else is told of the functions that have a mistake: refusals that tests missed. Each is told with one mistake.
/// @param mistake  one of `diagnosis`
std::vector<std::string> besides_of(const verdict::Diagnosis& diagnosis, const verdict::NamedMistake& mistake);

/// Whether it asked for more memory than there is, and numbers are read that are no longer there: a size may be one.
bool may_come_of_freed_memory(const verdict::Diagnosis& diagnosis, const verdict::Failure& failure);

}  // namespace headway::report
