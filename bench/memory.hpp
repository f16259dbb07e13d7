#pragma once

#include <functional>

namespace headway::bench {

/// By how many bytes the resident memory of this process grows at most while `work` runs; 0 where the kernel does not
/// say. What stays allocated from before, such as a BLAS's own buffers, does not count.
double extra_memory(const std::function<void()>& work);

}  // namespace headway::bench
