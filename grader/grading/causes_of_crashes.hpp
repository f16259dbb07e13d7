#pragma once

#include "grading/causes_in_source.hpp"

#include <vector>

/// What the student's source shows of why a call ended in a signal.
namespace headway::cli {

/// Where a signal ends a call in a function of which the compiler warns that it ends without a return, or on a line
/// that calls such a one, says that first: what it gives is nobody's choice, and crashes wherever it is used.
void tell_which_return_is_missing(verdict::Failure& failure, const std::vector<verdict::CompilerMessage>& warnings,
                                  const ReadSources& sources);

/// Where a null pointer was followed that is data() of a mask of which nobody asked whether it is given, says so; the
/// line is that which reads it, and not that of a helper. @param callers  through which lines it got there, outwards
void tell_of_a_mask_that_is_not_given(verdict::Failure& failure, const std::vector<verdict::SourceLine>& callers,
                                      const ReadSources& sources);

/// Where a crash is at an element of a std::vector that begins without any, and to which its function adds none, says
/// so.
void tell_of_a_vector_without_elements(verdict::Failure& failure, const ReadSources& sources);

}  // namespace headway::cli
