#pragma once

#include "gradebook/marks.hpp"
#include "grading/course.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace headway::classroom {

/// What was written for JPlag.
struct JplagExport {
    std::vector<std::string> commands;                            ///< one per exercise
    std::vector<std::pair<std::string, std::string>> unreadable;  ///< whose, why
};

/// Writes per exercise `submissions/`, with a folder per student and in it the files that count, and `base/`, with what
/// all students were given.
/// @param folder  new or empty: what an earlier export left there would be compared too
/// @throws std::runtime_error if it is neither, or cannot be written
JplagExport export_for_jplag(const std::filesystem::path& folder, const cli::Course& course,
                             const gradebook::Gradebook& gradebook, const std::vector<gradebook::Mark>& marks);

}  // namespace headway::classroom
