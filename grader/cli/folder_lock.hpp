#pragma once

#include "../sandbox/descriptor.hpp"

#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>

namespace headway::cli {

/// Two gradings of the same submission at the same time take turns. The kernel releases the lock if we die.
class FolderLock {
public:
    explicit FolderLock(const std::filesystem::path& folder)
        : file_(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        if (file_) ::flock(file_.get(), LOCK_EX);
    }

private:
    sandbox::Descriptor file_;
};

}  // namespace headway::cli
