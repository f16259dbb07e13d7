#pragma once

#include "submission/function_places.hpp"

#include <optional>
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

/// A for that goes on only as long as a whole piece is left, and so never comes to a last one that is shorter.
struct WholePieces {
    int line = 0;
    std::string condition;  ///< "t + run <= T"
};

/// The only such loop of a function; nothing if there are several. It declares its counter itself, so that no other
/// loop goes on where it ends.
std::optional<WholePieces> whole_pieces(const FunctionAround& function);

}  // namespace headway::build
