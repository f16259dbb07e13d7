#pragma once

#include "suites/11_long_texts/inputs.hpp"

/// What the functions of exercise 11 must refuse; each ends the test if they do not.
namespace headway::judge::long_texts {

/// Of masks, and of how far layers reach.
void expect_masks_checked(Student& student, Random& random, const Sizes& n);
/// Of window_attention, which is asked with inputs that fit.
void expect_attention_checked(Student& student, Random& random, const Inputs& in);
/// Of rings, which stay as they were.
void expect_rings_checked(Student& student, Random& random, const Sizes& n);

}  // namespace headway::judge::long_texts
