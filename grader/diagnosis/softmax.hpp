#pragma once

#include "diagnosis/choices.hpp"

namespace headway::diagnosis {

/// Softmax as `choices` decide, in the arithmetic of float32 where it overflows.
Array softmax(const Array& scores, Blocked blocked, const Softmaxing& choices);

/// What float32 makes of a number: too large is infinite, too small is zero.
double in_range_of_float(double value);

}  // namespace headway::diagnosis
