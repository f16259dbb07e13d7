#pragma once

#include "submission/scratch_folder.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace headway::build {

/// A folder for one test, with files that it writes.
class TemporaryFolder : public ScratchFolder {
public:
    TemporaryFolder() : ScratchFolder(std::filesystem::temp_directory_path()) {}

    std::filesystem::path write(const std::filesystem::path& name, const std::string& text) const {
        std::filesystem::path file = path() / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
        return file;
    }
};

}  // namespace headway::build
