#pragma once

#include "reference/array.hpp"

/// What a program answers when it is asked the same once more. Threads that finish in any order add in any order, so
/// the last digits of a right answer may differ. Shapes may not, nor what is not finite, nor anything but rounding.
namespace headway::judge {

/// Numbers that were answered, with room for the same sums in another order, as far as they tell it themselves: the
/// room is that of sums of the largest. It is a tenth of what own() leaves.
reference::Array repeated(reference::Array answered);
reference::Array repeated(const Tensor& answered);

/// Whether equal calls of one program may give both.
/// @param right  what a right program gives: where it has their shape, its error bounds are room as well
bool may_repeat(const reference::Array& first, const reference::Array& second, const reference::Array* right = nullptr);

}  // namespace headway::judge
