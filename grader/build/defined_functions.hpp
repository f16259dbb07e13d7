#pragma once

#include <string>
#include <vector>

namespace headway::build {

// What `nm --defined-only` prints of 64-bit objects: 16 digits, a letter for the kind, the name. The names are a
// submission's, and may be anything.

/// Functions, as they are named there.
std::vector<std::string> functions_listed(const std::string& nm_output);

/// Functions of libraries, and of the course, that the grader's part of a worker calls. Defined by a submission, they
/// take the others' place there, too. Each once, sorted.  @param nm_output  not demangled: a name may unfold without
/// end
std::vector<std::string> library_functions_listed(const std::string& nm_output);

}  // namespace headway::build
