#pragma once

#include <string>

namespace headway::classroom {

/// Whether strangers' code can be compiled and run here without harm: network, files and other processes out of its
/// reach. `class grade` and `class regrade` run nothing where it cannot, unless they are told to.
bool jail_is_complete();

/// What it lacks, as a sentence; empty if it is complete.
std::string jail_gap();

}  // namespace headway::classroom
