#pragma once

#include "labs/train/whole_blocks.hpp"

#include <string>

/// The student's exercise 14, as a model of whole blocks asks it.
namespace headway::lab {

WholeBlocks blocks_of_student();

/// Calls exercise 14 once.   @throws NotDone
void require_blocks(const std::string& lab);

}  // namespace headway::lab
