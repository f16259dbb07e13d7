#pragma once

#include "sandbox/process.hpp"
#include "verdict/verdict.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace headway::build {

/// The names by which a student knows the submission and its files, for messages.
struct NamesForStudent {
    std::string exercise;          ///< "03_scaled_scores"
    std::filesystem::path folder;  ///< "exercises/03_scaled_scores"
    std::string course_root;       ///< left out of messages
    std::string workspace = {};    ///< where it is built; left out of messages, too
};

/// What the compiler said, as a problem of the student's, in words.
verdict::Compilation explain_compile(const sandbox::Finished& finished, const std::string& source,
                                     const NamesForStudent& names);

/// What the linker said. @param defined  demangled names that the submission's objects define
verdict::Compilation explain_link(const sandbox::Finished& finished, const std::vector<std::string>& defined,
                                  const NamesForStudent& names);

}  // namespace headway::build
