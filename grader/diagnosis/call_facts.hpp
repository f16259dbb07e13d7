#pragma once

#include "diagnosis/conditions.hpp"

namespace headway::diagnosis {

/// Sizes and options of a call, and besides: what kind of mask there is, which numbers a list holds, and which tensors
/// are not contiguous.
Facts facts_with_masks(const judge::Arguments& arguments);

/// Whether a mask of the call blocks every key of every query.
bool sees_nothing(const judge::Arguments& arguments);

/// Whether all counts of the call are 0. Then all rows are padding, which shows nothing of what is computed.
bool has_padding_alone(const judge::Arguments& arguments);

}  // namespace headway::diagnosis
