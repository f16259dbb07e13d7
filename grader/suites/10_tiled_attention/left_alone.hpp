#pragma once

#include "student/inputs.hpp"
#include "student/student.hpp"

/// What the functions of a running state leave as it is: other states, what they return, and numbers in views.
namespace headway::judge::tiled {

/// Expects that absorb changes the state that it is given, and nothing else does, nor that another one.
void expect_states_apart(Student& student, Random& random, const Sizes& n);

/// Expects that absorb makes the same of scores, and of values, whatever their strides.
void expect_absorb_to_read_views(Student& student, Random& random, const Sizes& n);

}  // namespace headway::judge::tiled
