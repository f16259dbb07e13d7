#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway::report {

/// The arrows of a flowchart in Mermaid's notation, one line per arrow: "q · (T, d) → scores (T, T)", with what stands
/// beside the arrow in brackets at the end. Lines of other forms are left out.
std::vector<std::string> arrows(std::string_view mermaid);

}  // namespace headway::report
