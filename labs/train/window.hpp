#pragma once

#include "labs/train/positions.hpp"

#include <string>

/// The student's exercise 11, as a model that looks through a window asks it.
namespace headway::lab {

/// What a window of the last w tokens leaves of causal attention, by the student's long_mask.
Sight sight_of_student(Index w);

/// Calls exercise 11 once.   @throws NotDone   @throws WrongUsage if a window of w tokens holds nothing
void require_window(const std::string& lab, Index w);

}  // namespace headway::lab
