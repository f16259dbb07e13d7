#pragma once

#include "wire/message.hpp"

#include <optional>
#include <string>
#include <vector>

/// What to change where the library says that a position or an axis is out of range. Numbers are as it says them.
namespace headway::judge {

/// Indices and axes count from 0: the first one too many is how many there are.
bool is_one_too_far(const std::string& position, const std::string& size);

/// An index, the axis that lacks it, how many positions that axis has, and the whole shape.
struct OutOfRange {
    std::string position, axis, size, shape;
};

/// @param asked  the arguments of the call: the index may be meant for another axis of theirs
std::optional<std::string> of_index(const OutOfRange& told_of, const std::vector<wire::Field>& asked);

/// slice(axis, begin, end) of an axis of that size.
std::optional<std::string> of_slice(const std::string& begin, const std::string& end, const std::string& size,
                                    const std::string& function);

/// Where a tensor of that shape, of so many axes, is an argument of the call; nothing if it is none.
std::optional<std::string> of_an_argument_with_fewer_axes(const std::string& shape, const std::string& axes,
                                                          const std::vector<wire::Field>& asked);

}  // namespace headway::judge
