#pragma once

#include "diagnosis/search.hpp"
#include "diagnosis/subject.hpp"

#include <vector>

namespace headway::diagnosis {

/// Questions that tell sets of mistakes apart. Asks `student` inputs on which the sets differ most and drops the sets
/// that the answers refute, until one is left, or 500 inputs do not tell the rest apart. What was asked joins
/// `observations`.
/// @param thrown  what a throw says where an answer is due: nothing, if only what it answers is to be explained
enum class Thrown { refutes, says_nothing };
void tell_apart(std::vector<MistakeSet>& sets, std::vector<Observation>& observations, const Function& function,
                judge::Student& student, Random& random, Thrown thrown);

}  // namespace headway::diagnosis
