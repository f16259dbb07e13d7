#pragma once

#include "suites/13_positions/inputs.hpp"

/// What the functions of exercise 13 must refuse; each ends the test if they do not.
namespace headway::judge::positions {

/// Of token_positions and rotation_angles.
void expect_positions_checked(Student& student, Random& random, const Sizes& n);
/// Of rotate_pairs, rotate_halves and the conversions.
void expect_turns_checked(Student& student, Random& random, const Sizes& n);
/// Of rotary_attention.    @param in  what fits, of sizes n
void expect_attention_checked(Student& student, Random& random, const Inputs& in, const Sizes& n);
/// Of decode.    @param in  what fits
void expect_decoding_checked(Student& student, Random& random, const Decoding& in);
/// Of pack_in_projection and unpack_in_projection.
void expect_packing_checked(Student& student, Random& random, const Sizes& n);

}  // namespace headway::judge::positions
