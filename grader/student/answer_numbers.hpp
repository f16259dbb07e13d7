#pragma once

#include "student/student.hpp"

#include <vector>

/// Answers of any kind as rows of numbers, to see whether they are one and the same.
namespace headway::judge {

/// With shapes, words and exceptions in it, as numbers too.
std::vector<double> numbers_of(const Outcome& outcome);

/// NaN equals NaN here: the question is whether the answer changed, not whether it is right.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b);

/// A stride that is ignored changes far more.
bool agree_but_for_rounding(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace headway::judge
