#pragma once

#include "build/presentable.hpp"
#include "submission/submission.hpp"

#include "sandbox/process.hpp"
#include "verdict/verdict.hpp"

#include <string>
#include <vector>

namespace headway::build {

/// What the compiler said of `source`, as a problem of the student's, in words. @param files  the student's
verdict::Compilation explain_compile(const sandbox::Finished& finished, const std::string& source,
                                     const NamesForStudent& names, const std::vector<SourceFile>& files);

/// `source` is the one whose object made them too many bytes together.
verdict::Compilation explain_large_objects(const std::string& source, const NamesForStudent& names);

/// What the linker said, at the line where the name in question stands, if one is known.
/// @param defined  demangled names that the submission's objects define   @param files  the student's
verdict::Compilation explain_link(const sandbox::Finished& finished, const std::vector<std::string>& defined,
                                  const NamesForStudent& names, const std::vector<SourceFile>& files);

}  // namespace headway::build
