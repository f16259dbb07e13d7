#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace headway::lessons {

/// A line for each picture that is missing in the folder, differs from what is drawn, or is drawn by nothing.
/// @param drawn  each picture's text by the name of its file
std::vector<std::string> complaints_about(const std::filesystem::path& folder,
                                          const std::map<std::string, std::string>& drawn);

/// Writes those that are missing or differ. Never deletes: a person says what becomes of a picture that nothing draws.
void write_pictures(const std::filesystem::path& folder, const std::map<std::string, std::string>& drawn);

}  // namespace headway::lessons
