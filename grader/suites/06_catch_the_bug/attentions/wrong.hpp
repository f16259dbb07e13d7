#pragma once

#include "staged.hpp"

#include <map>
#include <memory>
#include <string>

namespace headway::attentions {

/// The wrong attentions by their name in the roster, which says where each mistake shipped.
std::map<std::string, std::unique_ptr<Staged>> wrong_ones();

}  // namespace headway::attentions
