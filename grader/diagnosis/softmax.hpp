#pragma once

#include "diagnosis/choices.hpp"

namespace headway::diagnosis {

/// Softmax as `choices` decide, in the arithmetic of float32 where it overflows.
Array softmax(const Array& scores, Blocked blocked, const Softmaxing& choices);

/// What the mask does to weights, once softmax made them of `scores`.
void mask_afterwards(Array& weights, const Array& scores, const Blocked& blocked, const Masking& masking);

/// What float32 makes of a number: too large is infinite, too small is zero.
double in_range_of_float(double value);

}  // namespace headway::diagnosis
