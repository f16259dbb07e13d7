#pragma once

#include <cstdint>
#include <vector>

namespace headway::worker {

/// Where this thread has thrown its last exception since forget_throw(), as OwnCalls are. Empty if it has thrown none.
/// Costs nothing before something is thrown.
std::vector<std::int64_t> last_throw();

void forget_throw();

}  // namespace headway::worker
