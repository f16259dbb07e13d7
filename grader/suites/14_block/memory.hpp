#pragma once

#include "suites/14_block/inputs.hpp"

namespace headway::judge::block {

/// Expects that stack_backward calls attention no more often than it needs to and, if it can be measured, that its
/// memory does not grow by what lies between the maps of each block.
/// @param is_measured  not where a sanitizer's own memory would be
void expect_checkpoints(Student& student, Random& random, bool is_measured);

/// block_backward calls attention.backward once.
void expect_one_call_back(Student& student, const BlockInputs& in);

}  // namespace headway::judge::block
