#pragma once

#include "grading/read_sources.hpp"

#include <vector>

/// What one line of the student's source shows of why a call failed, and who calls it.
namespace headway::cli {

/// Where a stub's throw is left above code, or behind it: names its line, and what to do with it.
void tell_of_a_throw_left(verdict::Failure& failure, const ReadSources& sources);

/// Where what a function refuses is what it hands to itself: names the line that does. @param site  where it threw
void tell_who_hands_on_what_is_refused(verdict::Failure& failure, const build::ThrowSite& site,
                                       const ReadSources& sources);

/// Where assert() ended the program, says what refuses in its place.
void tell_what_refuses(verdict::Failure& failure);

/// Where a position below 0 comes of %: says what that gives of a negative number.
void tell_what_a_remainder_gives(verdict::Failure& failure);

/// Where a helper calls itself without end: names the line that does.
/// @param callers  the lines through which the program got there, innermost first
void tell_what_calls_itself(verdict::Failure& failure, const std::vector<verdict::SourceLine>& callers,
                            const ReadSources& sources);

/// Where an element is asked of a mask that is not given, in a function that expands none: says what a mask may be.
void tell_what_a_mask_may_lack(verdict::Failure& failure, const ReadSources& sources);

/// Where a refused view is to be written through: says that contiguous(), which makes it one, would be a copy.
void tell_what_a_copy_would_lose(verdict::Failure& failure);

/// Where an index in square brackets has a comma, x[b, h]: says that only its last part counts.
void tell_what_a_comma_leaves(verdict::Failure& failure);

}  // namespace headway::cli
