#pragma once

#include "grading/causes_in_source.hpp"

#include <vector>

/// What the student's source shows of why a call ended in a signal.
namespace headway::cli {

/// Where a signal ends a call in a function that can end without a return, as the compiler warns, or on a line that
/// calls such a function: says that first. What such a function returns may crash wherever it is used.
void tell_which_return_is_missing(verdict::Failure& failure, const std::vector<verdict::CompilerMessage>& warnings,
                                  const ReadSources& sources);

/// Where a call ended, or threw, and the compiler has seen that a function on the way calls itself whatever happens, or
/// returns a reference to a variable of its own: says that.
void tell_what_never_works(verdict::Failure& failure, const std::vector<verdict::CompilerMessage>& warnings,
                           const ReadSources& sources);

/// Both.
void tell_what_the_compiler_saw(verdict::Failure& failure, const std::vector<verdict::CompilerMessage>& warnings,
                                const ReadSources& sources);

/// Where data() of a mask was read and nothing had asked whether a mask is given: says so, and names the line that
/// reads it, not a helper's. @param callers  the lines through which the program got there, innermost first
void tell_of_a_mask_that_is_not_given(verdict::Failure& failure, const std::vector<verdict::SourceLine>& callers,
                                      const ReadSources& sources);

/// Where a program crashes below a loop up to size() - 1: says what that is of an empty list.
void tell_what_one_less_than_none_is(verdict::Failure& failure, const ReadSources& sources);

/// Where a program crashes at an element of a std::vector that was made without any, and nothing in its function adds
/// one: says so.
void tell_of_a_vector_without_elements(verdict::Failure& failure, const ReadSources& sources);

}  // namespace headway::cli
