#pragma once

#include <headway/layout.hpp>

#include <optional>
#include <vector>

namespace headway::lab {

/// What attention costs for a text of T tokens: by all keys, which the course computes, and through a window, which the
/// student does.
struct WindowCost {
    Index T = 0;
    double all_mib = 0, window_mib = 0;  ///< that were in use at the peak; 0 where that is not known
    double all_ms = 0, window_ms = 0;
};

struct WindowCosts {
    Index H = 0, head_dim = 0;
    Index w = 0;
    std::vector<WindowCost> texts;  ///< each four times as long as the one before
};

/// Pairs of a query and a key that it sees, in a causal text of T tokens: at most w for each query.
Index pairs_in(Index T, Index w);

/// Of the student's exercise 11; nothing while it is not written.
/// @throws NotDone if it is written, and gives other numbers than it should
std::optional<WindowCosts> measure_windows(Index longest, int repeats);

}  // namespace headway::lab
