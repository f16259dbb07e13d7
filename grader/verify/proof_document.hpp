#pragma once

#include "verify/proof.hpp"

#include <string>

namespace headway::cli {

/// PROOF.md: for each exercise where its mutants come from, and for each mistake of the catalogue how many mutants make
/// it, are caught, and get its name.
std::string proof_document(const Proof& proof);

}  // namespace headway::cli
