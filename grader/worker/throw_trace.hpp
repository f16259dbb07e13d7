#pragma once

#include <cstdint>
#include <vector>

namespace headway::worker {

/// Where this thread has thrown its last exception since forget_throw(): addresses within the calls that led there, as
/// the program's own file counts them, the innermost first, at most wire::most_frames. Calls in shared libraries are
/// left out. Empty if it has thrown none. Costs nothing before something is thrown.
std::vector<std::int64_t> last_throw();

void forget_throw();

}  // namespace headway::worker
