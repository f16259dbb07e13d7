#pragma once

#include "submission/function_places.hpp"

#include <optional>
#include <string>

namespace headway::build {

/// Where the pieces end into which a loop cuts: the last one may reach too far.
struct UncutPiece {
    int line = 0;
    std::string end;    ///< "end", which is
    std::string sum;    ///< "t + run"
    std::string bound;  ///< "T", up to which the loop counts
};

/// Of `for (t = …; t < T; t += run)` around this line, `end = t + run;` above it, where what the line reads is `end` or
/// was computed from it, and nothing on the way takes the smaller of two. Nothing of a loop that is longer than anybody
/// writes.
std::optional<UncutPiece> uncut_piece(const FunctionAround& function, int line);

}  // namespace headway::build
