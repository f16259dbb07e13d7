#pragma once

#include "choices.hpp"

namespace headway::diagnosis {

/// Softmax as `choices` decide, in the arithmetic of float32 where it overflows.
Array softmax(const Array& scores, Blocked blocked, const Softmaxing& choices);

}  // namespace headway::diagnosis
