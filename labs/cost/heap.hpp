#pragma once

#include <functional>

namespace headway::lab {

/// By how many MiB what this program has asked for and not given back grows at most while `work` runs: it is looked at
/// whenever a tensor or a mask is made. 0 where that is not known, as with a sanitizer, which has a heap of its own.
/// The kernel could say more, but not in a jail.
double mebibytes_at_peak(const std::function<void()>& work);

}  // namespace headway::lab
