#pragma once

#include "grading/read_sources.hpp"

/// What the student's source shows of a loop beside which a call failed.
namespace headway::cli {

/// Where the file of a call that was stopped has a step that sets, s =+ tile: names its line.
void tell_of_a_step_that_sets(verdict::Failure& failure, const ReadSources& sources);

/// Where a while never ends, says which continue goes past what changes its condition.
void tell_what_continue_skips(verdict::Failure& failure, const ReadSources& sources);

/// Where a call was stopped in a loop: says for which numbers the loop never ends, or that no round changes what its
/// condition reads, where its own words show that; and in which function it is, if not in the one that was called.
void tell_for_what_a_loop_goes_on(verdict::Failure& failure, const ReadSources& sources);

/// Where an index runs out of range in a for whose end its own body moves on: says what moves it.
void tell_whose_end_moves(verdict::Failure& failure, const ReadSources& sources);

/// Where an index runs out of range in a for that counts one variable while its condition reads another, or one too
/// far in a loop that goes on while it is <= something.
void tell_what_counts_another(verdict::Failure& failure, const ReadSources& sources);

/// Where a slice reaches past the end because the last of several pieces is not cut, says where it should be.
void tell_which_piece_is_not_cut(verdict::Failure& failure, const ReadSources& sources);

/// Where the end of a Tensor::empty is never written, says which loop leaves it out.
void tell_what_leaves_the_end(verdict::FunctionDiagnosis& function, const ReadSources& sources);

}  // namespace headway::cli
