#pragma once

#include <string>
#include <vector>

namespace headway::build {

/// Functions in what `nm -C --defined-only` prints of 64-bit objects: 16 digits, a letter for the kind, the name. The
/// names are a submission's, and may be anything.
std::vector<std::string> functions_listed(const std::string& nm_output);

}  // namespace headway::build
