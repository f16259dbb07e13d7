#pragma once

#include "diagnosis/search.hpp"
#include "diagnosis/subject.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

/// The mistakes of the catalogue that a function of an exercise may have.
/// @param exercise_number  "03": what only later exercises teach is not decided before
/// @param known            mistakes of functions that it calls: what it leaves to them it does not decide once more, in
///                         another way
std::vector<const Mistake*> candidates_for(const std::string& exercise_number, const Function& function,
                                           const MistakeSet& known);

}  // namespace headway::diagnosis
