#pragma once

#include "submission/function_places.hpp"

#include <string>
#include <vector>

namespace headway::build {

/// Where the pieces end into which a loop cuts: the last one may reach too far.
struct UncutPiece {
    int line = 0;
    std::string end;    ///< "end", which is
    std::string sum;    ///< "t + run"
    std::string bound;  ///< "T", up to which the loop counts
};

/// Of each `for (t = …; t < T; t += run)` around this line, `end = t + run;` above it, where what the line reads is
/// `end` or was computed from it, and nothing on the way takes the smaller of two; the outermost first. A line may cut
/// in two loops, and each of their last pieces may be the one. Nothing of a loop that is longer than anybody writes.
std::vector<UncutPiece> uncut_pieces(const FunctionAround& function, int line);

}  // namespace headway::build
