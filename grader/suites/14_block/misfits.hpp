#pragma once

#include "suites/14_block/inputs.hpp"

/// What the functions of exercise 14 must refuse; each ends the test if they do not.
namespace headway::judge::block {

/// Of the norms and their gradients.
void expect_norms_checked(Student& student, Random& random, const BlockSizes& n);
/// Of gelu_backward, mlp and mlp_backward.
void expect_mlps_checked(Student& student, Random& random, const BlockSizes& n);
/// Of blocks and stacks.
void expect_blocks_checked(Student& student, Random& random, const BlockSizes& n);

/// An attention may return the very tensor that it was given: what came back is not written into.
void expect_what_attention_returns_left_alone(Student& student, const BlockInputs& in);

}  // namespace headway::judge::block
