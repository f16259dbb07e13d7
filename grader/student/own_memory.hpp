#pragma once

#include <cstdint>

namespace headway::judge {

/// From now on this process has no more than so many bytes of addresses, and knows when they ran out: what goes wrong
/// then is std::bad_alloc here, and not the death of whatever else runs on this machine. Where a sanitizer needs
/// addresses without end it does nothing; there the control group alone bounds it.
void bound_own_memory(std::uint64_t bytes);

/// Whether an allocation has failed since this was last set to false.
bool& own_memory_ran_out();

}  // namespace headway::judge
