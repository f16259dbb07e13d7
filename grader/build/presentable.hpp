#pragma once

#include <filesystem>
#include <string>

namespace headway::build {

/// The names by which a student knows the submission and its files, for messages.
struct NamesForStudent {
    std::string exercise;          ///< "03_scaled_scores"
    std::filesystem::path folder;  ///< "exercises/03_scaled_scores"
    std::string course_root;       ///< left out of messages
    std::string workspace = {};    ///< where it is built; left out of messages, too
};

/// `text` without `part`, wherever it stands.
std::string without(std::string text, const std::string& part);

/// A template can have the compiler write a line of any length, which nobody reads.
std::string with_short_lines(const std::string& text);

/// What of a tool's output may be shown: where this machine keeps things is nobody's business.
std::string presentable(const std::string& output, const NamesForStudent& names);

}  // namespace headway::build
