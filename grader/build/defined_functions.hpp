#pragma once

#include <string>
#include <vector>

namespace headway::build {

/// Functions in what `nm -C --defined-only` prints of 64-bit objects: 16 digits, a letter for the kind, the name. The
/// names are a submission's, and may be anything.
std::vector<std::string> functions_listed(const std::string& nm_output);

/// Of these, the functions of the C and C++ libraries that the grader's part of a worker calls. Defined by a
/// submission, they take the library's place there, too. Each once, sorted.
std::vector<std::string> library_functions_listed(const std::string& nm_output);

}  // namespace headway::build
