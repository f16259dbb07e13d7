#pragma once

#include "student/student.hpp"

namespace headway::judge {

/// Expects that transpose refuses an axis of -1, or takes it for the last one.
/// @param x  of rank 4
void expect_axis_below_zero(Student& student, const Tensor& x);

}  // namespace headway::judge
