#pragma once

#include <string>
#include <vector>

namespace headway::report {

/// One word for a shell, whatever is in it; in quotes only where it needs them.
std::string shell_word(const std::string& text);

/// A command as it is typed.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace headway::report
