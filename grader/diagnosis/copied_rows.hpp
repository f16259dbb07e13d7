#pragma once

#include "diagnosis/search.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

/// Of a function that copies rows of its arguments: which row stands where another one belongs, "for example, in k,
/// [0, 1, 4] holds k[0, 1, 2], and should hold k[0, 1, 4]", for the first of the smallest wrong answer. Empty where a
/// row that is wrong or due is none of an argument's, or of several.
std::string copied_rows(const std::vector<Observation>& observations);

}  // namespace headway::diagnosis
