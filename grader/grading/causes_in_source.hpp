#pragma once

#include "build/source_lines.hpp"
#include "verdict/verdict.hpp"

#include <vector>

/// What the student's source shows of why a call failed, beside what its words say.
namespace headway::cli {

/// Beside pointers to what is not there: the line that declares a variable anew where a member is meant to be set.
void tell_what_hides_a_member(verdict::Diagnosis& diagnosis, const std::vector<verdict::CompilerMessage>& warnings,
                              const std::vector<build::SourceFile>& files);

/// Where a call ended in a function without a return, says which function that is: the one that was called may only
/// have called it.
void name_what_lacks_a_return(verdict::Failure& failure, const std::vector<build::SourceFile>& files);

/// Where a function calls itself with a clone, says what that does not change: it is taken for a way to lay out rows.
void tell_what_clone_keeps(verdict::Failure& failure, const std::vector<build::SourceFile>& files);

/// Where a while never ends, says which continue goes past what changes its condition.
void tell_what_continue_skips(verdict::Failure& failure, const std::vector<build::SourceFile>& files);

/// Where a call was stopped in a loop, says whose it is, if that is another function, and for which numbers it never
/// ends, where its own words tell.
void tell_for_what_a_loop_goes_on(verdict::Failure& failure, const std::vector<build::SourceFile>& files);

/// Where an index runs out of range in a for whose head counts another variable than its condition asks about.
void tell_what_counts_another(verdict::Failure& failure, const std::vector<build::SourceFile>& files);

/// Of memory of a Tensor::empty that is read too early, says which others that function makes.
void tell_of_other_empty_ones(verdict::FunctionDiagnosis& function, const std::vector<build::SourceFile>& files);

/// Where += refuses a Tensor that was declared without a value, says what it begins with.
void tell_how_a_sum_begins(verdict::Failure& failure, const std::vector<build::SourceFile>& files);

/// Where a slice reaches past the end because the last of several pieces is not cut, says where it should be.
void tell_which_piece_is_not_cut(verdict::Failure& failure, const std::vector<build::SourceFile>& files);

/// Where a signal ends a call in a function of which the compiler warns that it ends without a return, or on a line
/// that calls such a one, says that first: what it gives is nobody's choice, and crashes wherever it is used.
void tell_which_return_is_missing(verdict::Failure& failure, const std::vector<verdict::CompilerMessage>& warnings,
                                  const std::vector<build::SourceFile>& files);

/// Where a null pointer was followed that is data() of a mask of which nobody asked whether it is given, says so; the
/// line is that which reads it, and not that of a helper. @param callers  through which lines it got there, outwards
void tell_of_a_mask_that_is_not_given(verdict::Failure& failure, const std::vector<verdict::SourceLine>& callers,
                                      const std::vector<build::SourceFile>& files);

}  // namespace headway::cli
