#pragma once

#include <filesystem>
#include <string>

namespace headway::lessons {

/// @throws std::runtime_error if it cannot be read
std::string contents(const std::filesystem::path& file);
/// @throws std::runtime_error if it cannot be written
void write(const std::filesystem::path& file, const std::string& text);

}  // namespace headway::lessons
