#pragma once

#include <filesystem>
#include <optional>

namespace headway::judge {

/// How much of a source was run.
struct LineCounts {
    int lines_run = 0, lines = 0;
    int branches_taken = 0, branches = 0;  ///< decisions that somebody wrote: no exception's way out
};

/// What gcov makes of the counts that a program left somewhere in `folder`, with the notes of its compiler; nothing
/// where there is no gcov of that compiler, no notes or no counts.
std::optional<LineCounts> line_counts(const std::filesystem::path& folder, const std::filesystem::path& notes);

}  // namespace headway::judge
