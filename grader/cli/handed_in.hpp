#pragma once

#include "grading/course.hpp"
#include "intake/hand_in.hpp"
#include "submission/scratch_folder.hpp"

#include <filesystem>
#include <optional>
#include <vector>

namespace headway::cli {

/// The exercises that may be in what somebody hands in.
std::vector<intake::Wanted> wanted_of(const Course& course);

/// What `grade --submission` names. A folder that holds exercise folders and nothing else that could count is graded
/// where it is. Whatever else students hand in (an archive, single files, a folder around the exercises) is read by the
/// rules that `class grade` reads it by, and its exercises are laid out in a folder of their own.
class HandedIn {
public:
    /// @throws UsageError if there is no such file or folder, intake::Malformed if it cannot be read as a hand-in
    HandedIn(const Course& course, const std::filesystem::path& named);

    /// Holds the exercise folders, as long as this object lives.
    const std::filesystem::path& folder() const { return folder_; }

    /// Where a file lies that was handed in. @param graded  below folder()
    /// @return below what was named; what lay in an archive is in that archive
    std::filesystem::path origin_of(const std::filesystem::path& graded) const;

private:
    std::filesystem::path named_;
    std::optional<build::ScratchFolder> laid_out_;
    std::filesystem::path folder_;
};

}  // namespace headway::cli
