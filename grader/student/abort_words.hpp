#pragma once

#include <string>
#include <string_view>

namespace headway::judge {

/// What is said of a program that SIGABRT ended: why, if the last line that it printed tells that.
std::string abort_words(std::string_view printed);

}  // namespace headway::judge
