#pragma once

#include "sandbox/descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace headway::cli {

/// Two gradings of the same submission at the same time take turns. The kernel releases the lock if we die. Its file
/// shows when the folder was used last.
class FolderLock {
public:
    /// Makes the folder if need be, and waits for its turn. @throws std::system_error
    explicit FolderLock(const std::filesystem::path& folder);

    /// Nothing if somebody holds it, or it is not there.
    static std::optional<FolderLock> try_to_hold(const std::filesystem::path& folder);
    static std::filesystem::file_time_type last_used(const std::filesystem::path& folder);

private:
    explicit FolderLock(sandbox::Descriptor file) : file_(std::move(file)) {}

    sandbox::Descriptor file_;
};

/// Removes what gradings have left in `work`/*/*, the longest unused first, until the rest takes up at most `most`
/// bytes. What a grading holds stays.
void keep_within(const std::filesystem::path& work, std::uintmax_t most);

/// Removes what one grading has left in its folder, but for the result, if that takes up more than `most` bytes. What
/// another grading holds stays.
void keep_small(const std::filesystem::path& folder, std::uintmax_t most);

}  // namespace headway::cli
