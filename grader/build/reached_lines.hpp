#pragma once

#include "submission.hpp"

#include "../verdict/verdict.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace headway::build {

/// Which lines of `files` ran, by what gcov says of one object. The counts come from a process of the submission's,
/// which can leave what it likes: an entry that is not as gcov writes it counts for nothing.
std::vector<verdict::Coverage> reached_lines(const nlohmann::json& gcov, const std::vector<SourceFile>& files);

}  // namespace headway::build
