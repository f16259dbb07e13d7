#pragma once

#include <string>

namespace headway::lab {

/// Calls the student's exercise 05 as labs do: makes a module, reads and loads its parameters, and asks it.
/// @throws NotDone, saying what is missing or of another shape
void require_attention(const std::string& lab);

}  // namespace headway::lab
