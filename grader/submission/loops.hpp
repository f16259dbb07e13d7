#pragma once

#include "submission/function_places.hpp"

#include <vector>

namespace headway::build {

/// A loop of a function, by the way in which programs are written.
struct Loop {
    /// What its head tells of how it ends.
    enum class Ends {
        counts,        ///< for (x : list), or a variable that goes towards its bound in each round
        perhaps,       ///< nobody knows
        never_by_head  ///< what the condition reads is changed nowhere in it: break, return and throw alone end it
    };
    int line = 0;  ///< of its for, while or do
    Ends ends = Ends::perhaps;
};

/// The loops that the line stands in, in their head or their body, outermost first.
std::vector<Loop> loops_around(const FunctionAround& function, int line);

}  // namespace headway::build
