#pragma once

#include "submission/submission.hpp"

#include <filesystem>

namespace headway::build {

/// Writes the student's files into `folder`, which is made if it is not there.
void write_submission(const Submission& submission, const std::filesystem::path& folder);

}  // namespace headway::build
