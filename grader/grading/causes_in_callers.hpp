#pragma once

#include "grading/read_sources.hpp"

#include <vector>

/// What the call shows of why the function failed that was called.
namespace headway::cli {

/// Where a struct, or an element of a list of them, was handed on as it was declared: names it, and where one comes
/// from.
void tell_what_was_handed_on_empty(verdict::Failure& failure, const std::vector<verdict::SourceLine>& callers,
                                   const ReadSources& sources);

}  // namespace headway::cli
