#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::worker {

/// Runs every TEST that the submission has, silently. Compiled where it grades, for the GoogleTest that is there.
/// @return by "Suite.Name": "" if it passed, else what it said first; nothing if it was skipped
std::vector<std::pair<std::string, std::optional<std::string>>> report_of_all_tests();

}  // namespace headway::worker
