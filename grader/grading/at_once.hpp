#pragma once

#include <cstddef>
#include <functional>

namespace headway::cli {

/// The number of processors of this machine; 1 where that is not known.
std::size_t processors();

/// Calls `work` in that many threads (at least one), and returns when all have ended. The first exception that one of
/// them threw is then thrown again.
void at_once(std::size_t threads, const std::function<void()>& work);

}  // namespace headway::cli
