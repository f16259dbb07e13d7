#pragma once

#include "diagnosis/pairs.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

/// Of wrong answers that are all within one part in a hundred of the largest number that was due: how near they are,
/// and what such answers come from. Empty for others.
std::string nearly_right(const std::vector<Pair>& wrong);

}  // namespace headway::diagnosis
