#pragma once

#include <filesystem>

namespace headway::build {

/// A new folder. It is removed with this object, and all that is in it.
class ScratchFolder {
public:
    /// @throws std::system_error if none can be made in `parent`
    explicit ScratchFolder(const std::filesystem::path& parent);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace headway::build
