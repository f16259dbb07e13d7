#pragma once

#include "diagnosis/search.hpp"
#include "diagnosis/subject.hpp"

#include <vector>

namespace headway::diagnosis {

/// The evidence of numbers that are cut to 16 bits before anything is computed of them, whichever these are. Asks the
/// wrongly answered questions again with inputs cut to seven binary digits, which every 16-bit float holds exactly:
/// code that loses digits, and does nothing else wrong, answers these right; code that uses a table or fixed point does
/// not. Never of a function that has to round to sixteen bits: where it forgets to, it shows the same.
bool is_right_for_short_numbers(const std::vector<Observation>& observations, const Function& function,
                                judge::Student& student);

}  // namespace headway::diagnosis
