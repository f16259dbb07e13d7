#pragma once

#include "build/toolchain.hpp"

#include <filesystem>

// The prelude as compilers read it quickly.
namespace headway::build {

/// The file that takes the place of what these options include: prelude.hpp.gch, or clang's .pch; empty where there is
/// none (for a first verdict the header with Eigen is not there yet).
std::filesystem::path precompiled(const Words& options);

/// Whether a header below `folder` is newer than what these options include precompiled. Then the course has changed
/// since it was built, and whatever includes that header may be told that it is declared twice.
bool is_older_than_headers(const Words& options, const std::filesystem::path& folder);

}  // namespace headway::build
