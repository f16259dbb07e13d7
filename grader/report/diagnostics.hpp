#pragma once

#include <string>
#include <string_view>

namespace headway::report {

/// Of a compiler's or linker's words the first error with the lines of source below it, without the notes, candidates
/// and instantiations around it: mostly what is to be fixed stands there.
std::string first_error(std::string_view diagnostics);

}  // namespace headway::report
