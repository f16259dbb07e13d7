#pragma once

#include "grading/course.hpp"

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

namespace headway::cli {

/// A property that stands as right beside a mistake with a name in its own function; empty if there is none.
/// Properties that many mistakes of one function leave alone say which ones break them (STATES): with these the grading
/// has dealt.
std::string contradiction_in(const verdict::Exercise& exercise);

/// What properties of an exercise say that they state, and no mistake can be about.
std::vector<std::string> unknown_statements(const Course& course, const ExerciseInfo& info);

}  // namespace headway::cli
