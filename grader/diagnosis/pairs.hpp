#pragma once

#include "diagnosis/search.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

/// The array that was expected and the one that came, of equal shape.
struct Pair {
    std::string part;  ///< its name, where there are several
    Array expected;
    Array seen;
};

/// Whether an element differs by more than rounding, or any of them.
bool differs(const Pair& pair, std::size_t element);
bool differs(const Pair& pair);

/// Of every answer with a value that is wrong, the parts whose shape is right. What holds the numbers from before, as
/// an answer was refused that is due, has none.
std::vector<Pair> wrong_pairs(const std::vector<Observation>& observations);

/// Of what was answered with a value that is wrong, the question with the fewest numbers; null if there is none.
const Observation* smallest_wrong(const std::vector<Observation>& observations);

}  // namespace headway::diagnosis
