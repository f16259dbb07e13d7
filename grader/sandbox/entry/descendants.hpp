#pragma once

#include <cstddef>

namespace entry {

/// A signal to all that we have started or adopted, and to what these have started. @return to how many
std::size_t signal_descendants(int signal);

}  // namespace entry
