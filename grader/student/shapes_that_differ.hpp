#pragma once

#include <string>
#include <vector>

/// What to change where shapes do not fit, by the words in which the library says so.
namespace headway::judge {

/// "(2, 3, 4)" as its sizes.
std::vector<long> sizes_in(const std::string& shape);

/// What would make the factors of a product fit, if anything simple does.
std::string other_product(const std::string& a, const std::string& b, const std::string& to_transpose);

/// Where one shape is the other without its last axis: what a reduction leaves that drops the axis.
std::string dropped_axis(const std::string& a, const std::string& b);

/// What does not broadcast to a shape.
/// @param operation  "copy_from"
std::string of_broadcast(const std::string& operation, const std::string& from, const std::string& to);

}  // namespace headway::judge
