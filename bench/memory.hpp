#pragma once

#include <functional>

namespace headway::bench {

/// By how many bytes the resident memory of this process grows at most while `work` runs; 0 where the kernel does not
/// say. What stays allocated from before, such as a BLAS's own buffers, does not count.
double extra_memory(const std::function<void()>& work);

/// From now on this process keeps the memory that it frees, for what it computes next. glibc would give large blocks
/// back to the kernel, which fills each page with zeros before it lends it again: a fifth of the time of an attention
/// whose tensors are of some MB.
void keep_freed_memory();

}  // namespace headway::bench
