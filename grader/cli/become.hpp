#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headway::cli {

/// Becomes the program: it owns the terminal, and ends as it ends. @throws CourseError
int become(const std::filesystem::path& program, const std::vector<std::string>& arguments);

}  // namespace headway::cli
