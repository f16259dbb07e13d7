#pragma once

#include "verify/proof.hpp"

#include <set>
#include <string>
#include <vector>

namespace headway::cli {

/// A table of what the hidden tests ask in turn of each function that the exercise's header declares: with sizes in
/// every relation, with masks of every form, with what does not fit, and once more after other calls. What is asked one
/// by one stands in the suite alone.
/// @param header   the text of the exercise's headers
/// @param exercise  its solution examined
std::string asked_table(const std::string& header, const ExerciseProof& exercise);

/// In words, the tests of the exercise's visible test that are not among those that the judge asks.
std::vector<std::string> visible_tests_left_out(const Course& course, const std::string& exercise,
                                                const std::set<std::string>& asked);

}  // namespace headway::cli
