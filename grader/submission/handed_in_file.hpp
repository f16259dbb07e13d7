#pragma once

#include "submission/submission.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace headway::build {

/// A file that is not what it was when it was looked at: a link now, or a pipe, too large, or gone.
struct ChangedMeanwhile : BadSubmission {
    using BadSubmission::BadSubmission;
};

/// The text of a file in a folder whose owner may exchange anything in it at any moment, to have another file read in
/// its place. No link is followed, be it the folder itself or something in it, and no pipe is waited for.
/// @param relative  the file's path in the folder, without ".."   @param most  bytes that it may have
/// @throws ChangedMeanwhile if that is no ordinary file of this size; std::filesystem::filesystem_error if it may not
/// be read
std::string read_handed_in(const std::filesystem::path& folder, const std::filesystem::path& relative,
                           std::uintmax_t most);

}  // namespace headway::build
