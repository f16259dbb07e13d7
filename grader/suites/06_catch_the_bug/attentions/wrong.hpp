#pragma once

#include "suites/06_catch_the_bug/attentions/staged.hpp"

#include <map>
#include <memory>
#include <string>

namespace headway::attentions {

/// By their name in the roster: right ones, which differ in habits alone, and the wrong ones.
std::map<std::string, std::unique_ptr<Staged>> staged_ones();

}  // namespace headway::attentions
