#pragma once

#include "submission/submission.hpp"

#include "verdict/verdict.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace headway::build {

/// Which lines of `files` ran, by what gcov says of the counts of several processes. Those come from the submission,
/// which can leave what it likes: an entry that is not as gcov writes it counts for nothing. A file that no document
/// speaks of is left out.
std::vector<verdict::Coverage> reached_lines(const std::vector<nlohmann::json>& documents,
                                             const std::vector<SourceFile>& files);

}  // namespace headway::build
