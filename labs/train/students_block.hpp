#pragma once

#include "labs/train/whole_blocks.hpp"

#include <optional>
#include <string>

/// The student's exercise 14, as a model of whole blocks asks it.
namespace headway::lab {

WholeBlocks blocks_of_student();

/// The same, once it is tried: nothing while exercise 14 is not written.
/// @throws NotDone if it is written, and does not go forward and back as a block does
std::optional<WholeBlocks> blocks_if_written();

/// Calls exercise 14 once.   @throws NotDone
void require_blocks(const std::string& lab);

}  // namespace headway::lab
