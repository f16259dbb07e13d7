#pragma once

#include "wire/message.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// What to change where shapes do not fit, by the words in which the library says so.
namespace headway::judge {

/// "(2, 3, 4)" as its sizes.
std::vector<long> sizes_in(const std::string& shape);

/// What would make the factors of a product fit, if anything simple does.
std::string other_product(const std::string& a, const std::string& b, const std::string& to_transpose);

/// Of a product of what has heads, (B, H, T, S), with what has none, (B, S, D).
std::optional<std::string> without_axis_of_heads(const std::string& a, const std::string& b);

/// Where one shape is the other without its last axis: what a reduction leaves that drops the axis.
std::string dropped_axis(const std::string& a, const std::string& b);

/// dropped_axis(); of an argument, which comes as it is, only how it gets that axis.
std::string axis_behind(const std::string& a, const std::string& b, const std::vector<wire::Field>& arguments);

/// The one axis in which shapes of equal rank differ.
std::optional<std::size_t> only_axis_that_differs(const std::string& a, const std::string& b);

/// What does not broadcast to a shape.
/// @param operation  "copy_from"
std::string of_broadcast(const std::string& operation, const std::string& from, const std::string& to);

/// What of a mask does not broadcast to the shape that is filled.
std::string of_mask(const std::string& mask, const std::string& filled);

/// Whether each axis of the new shape is some neighbouring axes of the old one merged, or a part of one that is split.
/// @param becomes  multiplies to as much as `shape`; one size may be -1, the rest
bool merges_or_splits(std::vector<long> shape, std::vector<long> becomes);

}  // namespace headway::judge
