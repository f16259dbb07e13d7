#pragma once

#include "grading/read_sources.hpp"

#include <vector>

/// What the student's source shows of why a call failed, beside what its words say.
namespace headway::cli {

/// Beside pointers to what is not there: the line that declares a variable anew where a member is meant to be set.
void tell_what_hides_a_member(verdict::Diagnosis& diagnosis, const std::vector<verdict::CompilerMessage>& warnings,
                              const std::vector<build::SourceFile>& files);

/// Beside memory that is used after it was given back: the line that takes data() of what ends with that line.
void tell_what_ends_with_its_line(verdict::Diagnosis& diagnosis, const std::vector<build::SourceFile>& files);

/// Where a call ended in a function without a return, says which function that is: the one that was called may only
/// have called it.
void name_what_lacks_a_return(verdict::Failure& failure, const ReadSources& sources);

/// Where a function calls itself with a clone, to have its rows laid out, says that clone() keeps the strides.
void tell_what_clone_keeps(verdict::Failure& failure, const ReadSources& sources);

/// Beside a Tensor::empty that is read too early, says which others the function makes.
void tell_of_other_empty_ones(verdict::FunctionDiagnosis& function, const ReadSources& sources);

/// Where an element of a tensor is asked for that was declared and never made, says where it was declared. Nothing of a
/// struct of the student's own, which may make its tensors itself.
void tell_what_was_never_made(verdict::Failure& failure, const ReadSources& sources);

/// Where += refuses a Tensor that was declared without a value, says what it begins with.
void tell_how_a_sum_begins(verdict::Failure& failure, const ReadSources& sources);

/// Where a cache's lengths are a list in braces, {B}, that should be B zeros: says which list that is.
void tell_which_list_has_braces(verdict::Failure& failure, const ReadSources& sources);

}  // namespace headway::cli
