#pragma once

#include <cstdint>

namespace entry {

/// From here on the kernel ends this process where it starts another (a thread is none), or becomes another program:
/// but for the execve whose fourth argument, which the kernel does not read, is this password.
/// @return false if the kernel refuses that, with errno
bool stay_alone(std::uint64_t& password);

}  // namespace entry
