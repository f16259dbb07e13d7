#pragma once

#include "verify/proof.hpp"

#include <string>

namespace headway::cli {

/// What the grader says of it that is not as it should be; empty if nothing.
std::string gap_of(const Specimen& specimen);

}  // namespace headway::cli
