#pragma once

#include "submission/function_places.hpp"

#include <optional>
#include <set>
#include <string>

namespace headway::build {

/// Numbers of a mask that are read by a pointer, in a function that never asks whether there is a mask: that of Mask{}
/// points nowhere.
struct MaskRead {
    std::string mask;     ///< "in.mask": it is given to the function, or a member of what is
    std::string pointer;  ///< "blocked", which is in.mask.data()
    int declared = 0;     ///< in which line
    std::set<int> lines;  ///< where it has [ ] behind it
};

/// Of `const bool* blocked = in.mask.data();`, where the pointer is used in no other way than blocked[...]: what else
/// is done with it may well ask. Masks are known by their names here; of a function that reads more than 8 so, the
/// first 8 count.
std::optional<MaskRead> unasked_mask_read(const FunctionAround& function);

}  // namespace headway::build
