#pragma once

#include "submission/submission.hpp"

#include "verdict/verdict.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headway::build {

/// Addresses in a program, from where an exception was thrown outwards.
using WayToThrow = std::vector<std::int64_t>;

/// Where one of a submission's own files threw, or called what threw.
struct ThrowSite {
    verdict::SourceLine line;
    bool is_the_throw = false;  ///< the exception is the file's own, not of something that it called
};

/// The line with its text as it was handed in. Nothing if no file has that name, or the file has no such line: what a
/// program says of itself may be anything.
std::optional<verdict::SourceLine> source_line(const std::vector<SourceFile>& files, const std::string& name, int line);

/// Reads what `addr2line --addresses --inlines` prints of all addresses of `ways`, in their order. Names and numbers in
/// it are the submission's (a #line directive, macros, assembler).
/// @return for each way its innermost call that lies in one of the files
std::vector<std::optional<ThrowSite>> throw_sites(const std::string& printed, const std::vector<WayToThrow>& ways,
                                                  const std::vector<SourceFile>& files);

}  // namespace headway::build
