#pragma once

#include "diagnosis/pairs.hpp"

#include <optional>
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

struct Factors {
    const char* mistake = "";            ///< its id
    std::vector<std::string> sentences;  ///< one for each part that is wrong
};

/// What is wrong, where in each part of the result that is wrong one factor makes what should have come into what came:
/// a constant, or a ratio of the sizes of a call ("every number is 1 / H times what it should be"; if another one that
/// is as simple does, too, neither is told). Several answers must show it.
std::optional<Factors> factors_of_results(const std::vector<Observation>& observations);

}  // namespace headway::diagnosis
