#pragma once

#include "verify/proof.hpp"

#include <string>

namespace headway::cli {

/// A table of what the hidden tests ask in turn of each function that the exercise's header declares: with sizes in
/// every relation, with masks of every form, with what does not fit, and once more after other calls. What is asked one
/// by one stands in the suite alone.
/// @param header   the text of the exercise's headers
/// @param exercise  its solution examined
std::string asked_table(const std::string& header, const ExerciseProof& exercise);

}  // namespace headway::cli
