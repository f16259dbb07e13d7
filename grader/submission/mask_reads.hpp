#pragma once

#include "submission/function_places.hpp"

#include <optional>
#include <set>
#include <string>

namespace headway::build {

/// Numbers of a mask or a bias that are read by a pointer, in a function that never asks whether there is one: that of
/// Mask{} or Tensor{} points nowhere.
struct MaskRead {
    std::string mask;  ///< "in.mask", or a bias: it is given to the function, or a member of what is
    bool is_bias = false;
    std::string pointer;  ///< "blocked", which is in.mask.data()
    int declared = 0;     ///< in which line
    std::set<int> lines;  ///< where it has [ ] behind it
};

/// Of `const bool* blocked = in.mask.data();`, where the pointer is used in no other way than blocked[...]: what else
/// is done with it may well ask. Masks and biases are known by their names here; of a function that reads more than 8
/// so, the first 8 count.
std::optional<MaskRead> unasked_mask_read(const FunctionAround& function);

}  // namespace headway::build
