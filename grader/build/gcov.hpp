#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

namespace headway::build {

/// What gcov says of one object's counts (FILE.gcda, with FILE.gcno beside it), lines and branches; null if nothing.
/// Only for counts of the course's own programs: what a student's program has counted is read in the compiler's jail.
nlohmann::json gcov_of(const std::filesystem::path& gcov, const std::filesystem::path& counts);

}  // namespace headway::build
