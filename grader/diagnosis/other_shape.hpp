#pragma once

#include "diagnosis/search.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headway::diagnosis {

/// A part of an answer whose shape is not what is due.
struct OtherShape {
    std::string part;  ///< its name; what a function returns has none
    bool is_due;       ///< whether this part is due in its place, and not another one
    Shape seen, due;
    /// The axis of `due` that is missing in all such answers of that part, if it is clear which one.
    std::optional<std::size_t> missing = {};
};

/// Of all answers of a wrong shape, the one whose due sizes differ most from each other: it tells most.
std::optional<OtherShape> other_shape(const std::vector<Observation>& observations);

/// "the result has shape (3, 2, 7), not (3, 1, 2, 7): it has 3 axes in place of 4, and axis 1 is missing". Of parts
/// that have a name, only where a call returns them: what is asked of a module is no tensor.
std::string in_words(const OtherShape& other, const Function& function);

}  // namespace headway::diagnosis
