#pragma once

#include "diagnosis/pairs.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

/// "all numbers are 0.408 times what they should be", where one factor explains all that is wrong, or one for each
/// input; else empty.
std::string constant_factor(const std::vector<Pair>& pairs);

bool is_all_zero(const Array& array);

/// "every number of the result is 0, in 2 of 5 answers that are wrong", part by part.
/// @param pairs  of answers that are wrong
std::vector<std::string> zeros_in(const std::vector<Pair>& pairs);

/// Whether one factor, other than 1, makes what should have come into what came in every answer that is wrong, number
/// for number; and there are several.
bool is_only_scaled(const std::vector<Observation>& observations);

/// "every number is 1 / H times what it should be", where a ratio of the sizes of a call makes what should have come
/// into what came, in every answer, and no other one that is as simple does; else empty.
std::string factor_in_sizes(const std::vector<Observation>& observations);

}  // namespace headway::diagnosis
