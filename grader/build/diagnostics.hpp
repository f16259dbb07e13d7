#pragma once

#include "sandbox/process.hpp"
#include "verdict/verdict.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace headway::build {

/// Where a submission came from, to speak of its files by the names that the student knows.
struct Spoken {
    std::string exercise;          ///< "03_scaled_scores"
    std::filesystem::path folder;  ///< "exercises/03_scaled_scores"
    std::string course_root;       ///< replaced by nothing in messages, as is
    std::string workspace = {};    ///< where it is built
};

/// What the compiler said, as a problem of the student's, in words.
verdict::Compilation explain_compile(const sandbox::Finished& finished, const std::string& source,
                                     const Spoken& spoken);

/// What the linker said. @param defined  demangled names that the submission's objects define
verdict::Compilation explain_link(const sandbox::Finished& finished, const std::vector<std::string>& defined,
                                  const Spoken& spoken);

}  // namespace headway::build
