#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace headway::intake {

/// What submission_metadata.yml says of one folder.
struct GradescopeSubmission {
    /// By student id; without one, by e-mail; and without that as well, by the folder: "submission_815".
    std::set<std::string> students;
    std::optional<std::string> submitted;
};

/// By folder ("submission_815"). @throws std::runtime_error if the file is not what Gradescope writes, or says that
/// something was handed in at a time that has not come yet
std::map<std::string, GradescopeSubmission> read_gradescope_metadata(const std::filesystem::path& file);

}  // namespace headway::intake
