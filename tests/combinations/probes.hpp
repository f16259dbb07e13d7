#pragma once

#include "mistakes.hpp"

#include <vector>

namespace headway::combinations {

/// What one call gave: numbers (the shapes, results and arguments as they are afterwards), or an exception.
struct Outcome {
    bool threw = false;
    std::vector<float> numbers;
};

/// Calls the function on random inputs of many kinds, always the same ones, with the mistakes that are chosen.
/// @throws std::invalid_argument if no exercise has such a function
std::vector<Outcome> probe(const Place& place);

/// Whether a call answered with other numbers, NaN being a number of its own. Rounding does not count; an exception in
/// `after` does not either, since any nonsense can throw.
bool answers_differently(const std::vector<Outcome>& before, const std::vector<Outcome>& after);

}  // namespace headway::combinations
