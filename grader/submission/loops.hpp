#pragma once

#include "submission/function_places.hpp"

#include <optional>
#include <string>
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
    std::vector<std::string> unchanged = {};  ///< where it never ends by its head: the names that its condition reads
    /// The same where that is so unless a function changes what it is handed in the loop.
    std::vector<std::string> handed_over = {};
};

/// The loops that the line stands in, in their head or their body, outermost first.
std::vector<Loop> loops_around(const FunctionAround& function, int line);

/// What a `continue` goes past.
struct SkippedStep {
    int skips = 0;     ///< the line of the continue
    int changes = 0;   ///< that of the first change of what the condition reads, which stands below
    std::string name;  ///< of what is changed there
};

/// Of the while that begins in this line, if all that its condition reads stays as it is in a round that a `continue`
/// ends.
std::optional<SkippedStep> skipped_step(const FunctionAround& function, int line);

/// A for that begins with one variable, asks how far that is, and counts another one.
struct OtherCounter {
    int line = 0;
    std::string asked;    ///< `s` of "for (Index s = 0; s < S; ++t)"
    std::string counted;  ///< and `t`
};

/// The innermost of those around the line which cannot end by their condition.
std::optional<OtherCounter> other_counter_around(const FunctionAround& function, int line);

}  // namespace headway::build
