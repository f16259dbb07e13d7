#pragma once

#include <headway/layout.hpp>

#include <optional>
#include <string>
#include <vector>

namespace headway::lab {

/// What one more token costs with a cache of T tokens that is kept in one of three ways.
struct CacheCost {
    Index T = 0;
    std::string kept;          ///< "float", "half" or "int8"
    Index bytes = 0;           ///< that one token takes in the cache, as the cache was found, with scales
    double largest_error = 0;  ///< of the context, beside a cache of floats
    double token_ms = 0;       ///< to add one token and to attend to all of them
};

struct CacheCosts {
    Index H = 0, head_dim = 0;
    Index bytes_said = 0;           ///< what the student's cache_bytes says of one token in int8
    std::vector<CacheCost> caches;  ///< T by T, each T four times the one before: float, half, int8
};

/// Floats are the course's, halves rounded by the student's exercise 12 and kept in two bytes each, int8 is the
/// student's. Nothing while they are not written.
/// @throws NotDone if they are written, and give other numbers than they should
std::optional<CacheCosts> measure_caches(Index longest, int repeats);

}  // namespace headway::lab
