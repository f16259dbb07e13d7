#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headway::intake {

/// What submission_metadata.yml says of one folder.
struct GradescopeSubmission {
    std::vector<std::string> students;  ///< student ids; of those without one, nothing personal: "submission_815"
    std::optional<std::string> submitted;
};

/// By folder ("submission_815"). @throws std::runtime_error if the file is not what Gradescope writes
std::map<std::string, GradescopeSubmission> read_gradescope_metadata(const std::filesystem::path& file);

}  // namespace headway::intake
