#pragma once

#include <string>
#include <vector>

namespace headway::combinations {

/// What the grader's catalogue calls a mistake of this implementation; empty if it has no name for it.
/// Only the test knows both: neither the implementation nor the catalogue was written after the other.
std::vector<std::string> catalogue_ids(const std::string& mistake);

}  // namespace headway::combinations
