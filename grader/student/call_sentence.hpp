#pragma once

#include "wire/value.hpp"

#include <string>
#include <vector>

namespace headway::judge {

/// A call as the story of a test tells it: "split_heads(x (3, 5, 18), num_heads = 3)".
std::string sentence(const std::string& function, const std::vector<wire::Field>& arguments);

}  // namespace headway::judge
