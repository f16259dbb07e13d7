#pragma once

#include <string>
#include <vector>

namespace headway::diagnosis {

/// Where real software had a mistake of the catalogue: "project: https://..." ; empty if none is known.
const std::vector<std::string>& shipped(const std::string& mistake);

}  // namespace headway::diagnosis
