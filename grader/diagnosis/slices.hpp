#pragma once

#include "diagnosis/pairs.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

enum class Along { all_axes, sequences_and_heads };

/// Along which axes the difference lies, as far as all wrong answers agree: "along the axis of the heads only the first
/// is right". @param of_several  whether the result has several parts, so that the wrong one must be named
std::vector<std::string> wrong_slices(const std::vector<Pair>& pairs, bool of_several, Along along = Along::all_axes);

}  // namespace headway::diagnosis
