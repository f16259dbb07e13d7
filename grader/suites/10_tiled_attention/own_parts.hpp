#pragma once

#include "reference/array.hpp"
#include "student/student.hpp"

#include <optional>

namespace headway::judge::tiled {

/// What follows for a call of tiled_attention from the student's own nothing_seen, absorb and context, tile by tile.
/// @param arguments  q, k, v, mask, causal, tile, in this order
/// @return nothing where these refuse, or give another shape
std::optional<reference::Array> from_own_parts(Student& student, const Arguments& arguments);
/// The same, or what their context throws.
std::optional<Outcome> outcome_of_own_parts(Student& student, const Arguments& arguments);

}  // namespace headway::judge::tiled
