#pragma once

#include "labs/train/positions.hpp"

#include <string>

/// The student's exercise 13, as a model of rotary positions asks it.
namespace headway::lab {

/// Heads (B, H, T, d) turned by positions 0 to T - 1, or by as much back.
Tensor turn_of_student(const Tensor& heads, Sense sense);

/// Calls exercise 13 once.   @throws NotDone   @throws WrongUsage if a head of width d has no pairs
void require_rotation(const std::string& lab, Index d);

}  // namespace headway::lab
