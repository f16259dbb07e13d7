#pragma once

#include "gradebook/marks.hpp"

#include <string>
#include <vector>

namespace headway::gradebook {

/// What a person should know who reads a mark: what is open and why, what was decided, what looks odd.
/// @param attempts  the student's and their group's, removed ones too
std::vector<std::string> notes_on(const Mark& mark, const std::vector<const Attempt*>& attempts,
                                  const Rulings& rulings);

}  // namespace headway::gradebook
